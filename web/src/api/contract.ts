/** The types of what the service takes and answers, from its contract, and the rules that both keep. Pages describe no answer themselves. */
export type { Page } from '../../../src/contract/envelopes.ts'
export type { Action } from '../../../src/contract/resources/action.ts'
export type { Activity } from '../../../src/contract/resources/activity.ts'
export type { Annotation } from '../../../src/contract/resources/annotation.ts'
export type { AuditEntry } from '../../../src/contract/resources/audit-entry.ts'
export type { Cohort } from '../../../src/contract/resources/cohort.ts'
export type { BasicDashboard, Dashboard, DashboardTile } from '../../../src/contract/resources/dashboard.ts'
export type { EventDefinition, PropertyDefinition } from '../../../src/contract/resources/definition.ts'
export type { EarlyAccessFeatureRecord as EarlyAccessFeature } from '../../../src/contract/resources/early-access.ts'
export type { Event as EventRecord } from '../../../src/contract/resources/event.ts'
export type { Experiment } from '../../../src/contract/resources/experiment.ts'
export type { FeatureFlag } from '../../../src/contract/resources/feature-flags.ts'
export type {
  BlastRadius,
  EvaluationReasons,
  ScheduledChange,
  TestEvaluation,
} from '../../../src/contract/resources/flag-management.ts'
export type { Group, GroupType } from '../../../src/contract/resources/group.ts'
export type {
  Heatmap,
  HeatmapFrame,
  HeatmapPages,
  HeatmapPoint,
  HeatmapWidths,
  ScrollDepth,
} from '../../../src/contract/resources/heatmap.ts'
export type { BasicInsight, Insight, ViewedInsight } from '../../../src/contract/resources/insight.ts'
export type { Invitation, NewInvitation, OpenInvitation } from '../../../src/contract/resources/invitation.ts'
export type { Member } from '../../../src/contract/resources/member.ts'
export type { EmbeddedPerson, ListedPerson, Person } from '../../../src/contract/resources/person.ts'
export type { PersonalKey } from '../../../src/contract/resources/personal-key.ts'
export type { Playlist } from '../../../src/contract/resources/playlist.ts'
export type {
  AcceptedToken,
  ListedProject,
  Project,
  RetentionPreview,
} from '../../../src/contract/resources/project.ts'
export type {
  FullRecording,
  NewShare,
  PublicRecording,
  Recording,
  RecordingBlock,
  RecordingList,
  Share,
  Shared,
  SharedRecording,
} from '../../../src/contract/resources/recording.ts'
export type {
  Deletion,
  DemoProgress,
  IngestionWarning,
  InstanceStatus,
} from '../../../src/contract/resources/service.ts'
export type { Session } from '../../../src/contract/resources/session.ts'
export type { Account, User } from '../../../src/contract/resources/user.ts'
export type { WebPageAnswer } from '../../../src/contract/resources/web-analytics.ts'
export type {
  ActorsAnswer,
  CorrelationResult,
  DatabaseTable,
  EventsAnswer,
  FunnelStep,
  FunnelsResult,
  FunnelTimes,
  FunnelTrend,
  LifecycleSeries,
  PathEdge,
  QueryAnswers,
  RetentionRow,
  SqlAnswer,
  StickinessSeries,
  TaxonomyAnswers,
  TrendSeries,
  WebAnswers,
  WebOverviewItem,
  WebRow,
  WebTrendsItem,
} from '../../../src/contract/results/index.ts'
export { sampleSizeFor } from '../../../src/contract/sample-size.ts'
