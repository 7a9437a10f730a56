/** The address that signs in whoever opens it. */
export const linkOf = (url: string, token: string): string => `${url}/?token=${token}`
