// box64 does not know the system calls of timer files (timerfd_create, timerfd_settime). ClickHouse makes one for each
// reader of another server, for its time limit. The embedded one has no other servers: here creating one creates an
// event file that never fires, and setting one does nothing.
import { readFileSync, writeFileSync } from 'node:fs'

const file = process.argv[2]
const library = readFileSync(file)
const CHANGES = [
  // push rax; mov edx, esi; mov esi, edi; mov edi, 283 -> esi becomes 0, the call 290 (eventfd2)
  { from: '5089f289febf1b010000', to: '5089f231f6bf22010000' },
  // push rax; mov r8, rcx; mov rcx, rdx; ...; mov edi, 286 -> xor eax, eax; ret
  { from: '504989c84889d189f289febf1e010000', to: '31c0c3' },
]
for (const { from, to } of CHANGES) {
  const at = library.indexOf(Buffer.from(from, 'hex'))
  if (at < 0) throw new Error(`${file} does not hold ${from}: this build of chDB is another one`)
  Buffer.from(to, 'hex').copy(library, at)
}
writeFileSync(file, library)
