import { execa } from 'execa'
import { auditOf } from './audited.ts'

// npm run audit: what is known against the packages that Bellhop runs with. 0: nothing; 1: something; 2: nobody answered.
const { stdout } = await execa('npm', ['audit', '--omit=dev', '--json'], { reject: false })
const { text, exitCode } = auditOf(stdout)
console.log(text)
process.exitCode = exitCode
