import type { TransactionSql } from '../engines/postgres/index.ts'
import { rotateProjectToken } from './project-tokens.ts'
import { announceProjects, type Project } from './projects.ts'

/** Nobody is a member of it, so nobody sees its projects. */
const ORGANIZATION = 'Deleted projects'

/**
 * Takes a project away at once: its key is refused, nobody sees it, its public links are gone. A job erases its data.
 * Its old key stays among the replaced ones, so that a provisioning file may still name it.
 */
export async function deleteProject(tx: TransactionSql, project: Project): Promise<void> {
  await rotateProjectToken(tx, project, 0)
  await tx`INSERT INTO organizations (name) VALUES (${ORGANIZATION}) ON CONFLICT (name) DO NOTHING`
  await tx`
    UPDATE projects SET name = 'deleted', updated_at = now(),
      organization_id = (SELECT id FROM organizations WHERE name = ${ORGANIZATION})
    WHERE id = ${project.id}`
  await tx`UPDATE retired_project_tokens SET accepted_until = now() WHERE project_id = ${project.id}`
  await tx`DELETE FROM recording_shares WHERE project_id = ${project.id}`
  await tx`INSERT INTO deleted_projects (project_id) VALUES (${project.id}) ON CONFLICT DO NOTHING`
  await announceProjects(tx)
}
