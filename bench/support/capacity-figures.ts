import type { Choices, Figures } from './capacity-model.ts'

/** `npm run bench service` and `npm run bench insights 1`, on two cores that also ran the load. */
export const FIGURES: Figures = {
  captureMicros: 30,
  requestMicros: 55,
  pipelineMicros: 100,
  postgresMicros: 3,
  clickhouseMicros: 55,
  bytesStored: 123,
  bytesLogged: 700,
  questionSecondsPerMillion: 0.05,
}

/** Machines as they are often rented. */
export const CHOICES: Choices = {
  coresOfCapture: 4,
  coresOfPipeline: 4,
  coresOfClickHouse: 16,
  diskOfClickHouseBytes: 7.5e12,
  copies: 2,
  utilisation: 0.6,
}
