// box64 0.4.3 loads the vector registers of a loop before the loop and then takes the value of the first of them for
// unneeded at the jump back: half of that register's sums are lost. Here the function that plans such loads returns at once.
import { readFileSync, writeFileSync } from 'node:fs'

const file = process.argv[2]
const program = readFileSync(file)
// cmp w2, #0; ccmp w2, w1, #0, ge; ccmp w3, #0, #4, le; b.ne over the return
const planned = Buffer.from('5f00007140a0417a64d8407a41000054', 'hex')
const at = program.indexOf(planned)
if (at < 0) console.error('This box64 has no such function; whether it adds up well is tried below.')
else {
  Buffer.from('1f2003d5', 'hex').copy(program, at + 12)
  writeFileSync(file, program)
}
