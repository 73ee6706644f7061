// Two defects of box64 0.4.3, switched off in its program:
// - It loads the vector registers of a loop before the loop and then takes the value of the first of them for unneeded
//   at the jump back: half of that register's sums are lost. Here the function that plans such loads returns at once.
// - When a thread ends, it frees the thread's data before the destructors of the emulated program use them (jemalloc's
//   do). Here they are not freed.
import { readFileSync, writeFileSync } from 'node:fs'

const file = process.argv[2]
const program = readFileSync(file)
const CHANGES = [
  // cmp w2, #0; ccmp w2, w1, #0, ge; ccmp w3, #0, #4, le; b.ne over the return -> nop
  { from: '5f00007140a0417a64d8407a41000054', at: 12, to: '1f2003d5' },
  // bti c; cbz x0, to the return; paciasp; stp x29, x30, [sp, #-32]!; ... -> ret
  { from: '5f2403d5c00200b43f2303d5fd7bbea9fd030091f30b00f9f30300aa001c40b9a0000034601a40b9', at: 4, to: 'c0035fd6' },
]
for (const { from, at, to } of CHANGES) {
  const found = program.indexOf(Buffer.from(from, 'hex'))
  if (found < 0) console.error(`This box64 does not hold ${from}: another one, which may not need it.`)
  else Buffer.from(to, 'hex').copy(program, found + at)
}
writeFileSync(file, program)
