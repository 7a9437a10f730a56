/**
 * A filter of system calls, for what namespaces do not keep apart: sockets that have nothing to do with the network of
 * the sandbox (such as those between a virtual machine and its host), the keys of the user, typing into terminals, and
 * ways into the kernel that programs seldom need. Everything else is allowed. Null where the machine is not known.
 */
export const systemCalls = (architecture: string): Buffer | null => {
  const numbers = NUMBERS[architecture]
  return numbers === undefined ? null : assembled(filter(numbers))
}

type Numbers = { audit: number; socket: number; ioctl: number; denied: readonly number[]; missing: readonly number[] }

/** By the name that Node has for the machine. Denied: keyctl, add_key, request_key, bpf, perf_event_open, userfaultfd. */
const NUMBERS: Record<string, Numbers> = {
  x64: { audit: 0xc000003e, socket: 41, ioctl: 16, denied: [250, 248, 249, 321, 298, 323], missing: [425] },
  arm64: { audit: 0xc00000b7, socket: 198, ioctl: 29, denied: [219, 217, 218, 280, 241, 282], missing: [425] },
}

/** Unix, the two of the internet, and netlink, by which a program asks for the addresses it has. */
const FAMILIES = [1, 2, 10, 16]
const TYPING = [0x5412, 0x541c]
/** On x64, the numbers from here on are the same calls again, under other names. */
const SECOND_SET = 0x40000000

const [ALLOW, REFUSE] = [0x7fff0000, 0x00050000]
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
const [NUMBER, ARCHITECTURE, FIRST, SECOND] = [0, 4, 16, 24]

type Step = { code: number; yes?: number; no?: number; value: number }

const load = (at: number): Step => ({ code: 0x20, value: at })
const answer = (value: number): Step => ({ code: 0x06, value })
const refuse = (error: number): Step => answer(REFUSE | error)
const ifEqual = (value: number, then: Step): Step[] => [{ code: 0x15, yes: 0, no: 1, value }, then]

/** Each test stands before its answer; what no answer was given to goes on to the next one. */
const filter = ({ audit, socket, ioctl, denied, missing }: Numbers): Step[] => {
  const ofSocket = [load(FIRST), ...FAMILIES.flatMap((one) => ifEqual(one, answer(ALLOW))), refuse(EAFNOSUPPORT)]
  const ofIoctl = [load(SECOND), ...TYPING.flatMap((one) => ifEqual(one, refuse(EPERM))), answer(ALLOW)]
  const when = (call: number, steps: readonly Step[]): Step[] => [
    { code: 0x15, yes: 0, no: steps.length, value: call },
    ...steps,
  ]
  return [
    load(ARCHITECTURE),
    // A program of another kind has other numbers, and would pass for something else.
    { code: 0x15, yes: 1, no: 0, value: audit },
    refuse(ENOSYS),
    load(NUMBER),
    { code: 0x35, yes: 0, no: 1, value: SECOND_SET },
    refuse(ENOSYS),
    ...denied.flatMap((call) => ifEqual(call, refuse(EPERM))),
    ...missing.flatMap((call) => ifEqual(call, refuse(ENOSYS))),
    ...when(socket, ofSocket),
    ...when(ioctl, ofIoctl),
    answer(ALLOW),
  ]
}

/** As the kernel takes it: two bytes of code, where to go on by yes and by no, and four bytes of value. */
const assembled = (steps: readonly Step[]): Buffer =>
  Buffer.concat(
    steps.map(({ code, yes = 0, no = 0, value }) => {
      const bytes = Buffer.alloc(8)
      bytes.writeUInt16LE(code, 0)
      bytes.writeUInt8(yes, 2)
      bytes.writeUInt8(no, 3)
      bytes.writeUInt32LE(value >>> 0, 4)
      return bytes
    }),
  )
