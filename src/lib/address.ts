/** Whether an address is that of a PostgreSQL server. */
export const isPostgres = (url: string): boolean => /^postgres(?:ql)?:\/\//.test(url)
