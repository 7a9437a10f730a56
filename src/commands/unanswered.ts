import { Problem } from '../lib/problem.ts'

const LOOK = 'look whether its gateway runs there, or correct BELLHOP_URL'

type Why = { says: string; fix: string }

const UNSIGNED: Why = {
  says: 'nobody whom this machine knows has signed its certificate',
  fix: 'name the certificate of whoever did: NODE_EXTRA_CA_CERTS=FILE',
}
const NAMELESS: Why = { says: 'that name is not found', fix: 'correct BELLHOP_URL' }
const CUT_OFF: Why = { says: 'there is no way to it from here', fix: LOOK }

/** What the codes of Node say that is more than that there was no answer. */
const WHY: Partial<Record<string, Why>> = {
  ECONNREFUSED: { says: 'nothing listens there', fix: LOOK },
  ENOTFOUND: NAMELESS,
  EAI_AGAIN: NAMELESS,
  EHOSTUNREACH: CUT_OFF,
  ENETUNREACH: CUT_OFF,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNSIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNSIGNED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNSIGNED,
  UNABLE_TO_GET_ISSUER_CERT: UNSIGNED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNSIGNED,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: 'its certificate is for another name',
    fix: 'give BELLHOP_URL with the name that it is for',
  },
  CERT_HAS_EXPIRED: { says: 'its certificate has run out', fix: 'have it renewed there' },
  CERT_NOT_YET_VALID: { says: 'its certificate does not hold yet', fix: 'look at the clocks of both machines' },
  ERR_SSL_WRONG_VERSION_NUMBER: { says: 'it speaks no TLS', fix: 'give BELLHOP_URL with http://, or correct its port' },
}

/** What keeps commands from the instance at an address, as far as the lost connection tells. */
export const unanswered = (url: string, { cause }: Error): Problem => {
  const why = WHY[(cause as NodeJS.ErrnoException | undefined)?.code ?? '']
  return why
    ? new Problem(`cannot ask the Bellhop at ${url}: ${why.says}`, why.fix)
    : new Problem(`no Bellhop answers at ${url}`, LOOK)
}
