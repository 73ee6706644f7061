// Loaded into the service by a test (`node --import`): a thread cannot be killed from outside, so SIGUSR2 ends all of them from within,
// wherever they are.
const threads = new Set()
process.on('worker', (thread) => {
  threads.add(thread)
  thread.once('exit', () => threads.delete(thread))
})
process.on('SIGUSR2', () => {
  for (const thread of threads) void thread.terminate()
})
