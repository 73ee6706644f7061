export { SqlQuestion } from './sql-question.tsx'
