import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * The honest client of a hostile test, in a thread of its own so that the attacker's work does not slow down its clock. Sends small events,
 * a batch each second and questions until it is told to stop, and then says how long each took and what failed. Events go out on time,
 * however long the answers to others take.
 */
const { url, headers, event, batch, question, everyMs } = workerData
const agent = new http.Agent({ keepAlive: true })
const failures = []
const took = { capture: [], batch: [], question: [] }
let done = false
parentPort.once('message', () => {
  done = true
})

function post(path, body, more = {}) {
  return new Promise((resolve) => {
    const sent = { ...headers, ...more, 'content-length': Buffer.byteLength(body) }
    const request = http.request(url + path, { method: 'POST', agent, headers: sent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
      answer.on('error', (error) => resolve({ status: 0, text: error.message }))
    })
    request.on('error', (error) => resolve({ status: 0, text: error.message }))
    request.end(body)
  })
}

async function timed(what, send) {
  const started = performance.now()
  const { status, text } = await send()
  took[what].push(performance.now() - started)
  if (status !== 200) failures.push(`${what}: ${status} ${text.slice(0, 200)}`)
}

async function repeat(pauseMs, once) {
  while (!done) {
    await once()
    await delay(pauseMs)
  }
}

const running = []
await Promise.all([
  repeat(everyMs, () => {
    running.push(timed('capture', () => post('/i/v0/e/', event)))
  }),
  repeat(1_000, () => timed('batch', () => post('/batch/', batch))),
  repeat(200, () => timed('question', () => post(question.path, question.body, question.headers))),
])
await Promise.all(running)
agent.destroy()
for (const times of Object.values(took)) times.sort((a, b) => a - b)
parentPort.postMessage({ failures, ...took })
