import type { Outcome, SetName } from './suite.ts'

/** Scenarios by how many checks each has; all of them pass. */
const lines = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [count, ...scenarios] = line.trim().split(/\s+/)
      return scenarios.map((scenario) => `${scenario} ${count}/${count}`)
    })

/**
 * What each set comes to. What is not scored is run as well: the `tasks` extension is one the product does not have, and
 * it lists no tool with arguments that travel in headers.
 */
export const EXPECTED: Record<SetName, Outcome> = {
  '2025-11-25': {
    exitCode: 0,
    required: lines(`
      3 server-initialize
      2 logging-set-level ping completion-complete
      3 tools-list
      2 tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content
      2 tools-call-with-logging tools-call-error tools-call-with-progress tools-call-sampling tools-call-elicitation
      6 elicitation-sep1034-defaults
      2 server-sse-multiple-streams
      6 elicitation-sep1330-enums
      2 resources-list resources-read-text resources-read-binary resources-templates-read
      2 resources-subscribe resources-unsubscribe
      2 prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image
      2 dns-rebinding-protection`),
    unscored: lines(`
      3 server-session-lifecycle
      8 json-schema-2020-12
      3 server-sse-polling`),
  },
  '2026-07-28': {
    exitCode: 0,
    required: lines(`
      30 server-stateless
      2 completion-complete
      4 tools-list
      2 tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content
      2 tools-call-error tools-call-with-progress
      1 server-sse-multiple-streams
      2 resources-list resources-read-text resources-read-binary resources-templates-read
      4 sep-2164-resource-not-found
      2 prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image
      2 dns-rebinding-protection
      8 caching
      3 input-required-result-basic-elicitation input-required-result-basic-sampling
      3 input-required-result-basic-list-roots input-required-result-request-state
      3 input-required-result-multiple-input-requests
      4 input-required-result-multi-round
      2 input-required-result-missing-input-response
      3 input-required-result-non-tool-request
      2 input-required-result-result-type input-required-result-unsupported-methods
      2 input-required-result-tampered-state input-required-result-capability-check
      2 input-required-result-ignore-extra-params
      3 input-required-result-validate-input`),
    unscored: [
      'tasks-lifecycle 1/9',
      'tasks-capability-negotiation 1/5',
      'tasks-wire-fields 1/4',
      'tasks-request-state-removal 1/2',
      'tasks-mrtr-input 1/4',
      'tasks-request-headers 2/5',
      'tasks-dispatch-and-envelope 3/9',
      'tasks-status-notifications 0/0',
      'tasks-required-task-error 1/2',
      'tasks-mrtr-composition 1/2',
      'json-schema-2020-12 8/8',
      'http-header-validation 14/14',
      'http-custom-header-server-validation 1/6',
    ],
  },
  '0.1.16': {
    exitCode: 0,
    required: lines(`
      1 server-initialize logging-set-level ping completion-complete tools-list
      1 tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content
      1 tools-call-with-logging tools-call-error tools-call-with-progress tools-call-sampling tools-call-elicitation
      4 json-schema-2020-12
      5 elicitation-sep1034-defaults
      0 server-sse-polling
      2 server-sse-multiple-streams
      5 elicitation-sep1330-enums
      1 resources-list resources-read-text resources-read-binary resources-templates-read
      1 resources-subscribe resources-unsubscribe
      1 prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image
      2 dns-rebinding-protection`),
    unscored: [],
  },
}
