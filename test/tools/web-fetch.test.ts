import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Scope } from '../../src/shapes/peripheral.ts'
import { type Address, fetchPage } from '../../src/tools/web/fetch-page.ts'
import { readable } from '../../src/tools/web/html.ts'
import { webFetch } from '../../src/tools/web-fetch.ts'
import { eventually } from '../support/poll.ts'
import { benchOf, call, reachOf, wall } from './run-bench.ts'

/** A server on this machine, and what it was asked for. */
const serve = async (answer: RequestListener) => {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const text = (body: string | Buffer, headers: Record<string, string> = {}): RequestListener => {
  const type = 'text/plain; charset=utf-8'
  return (_request, response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body)
}

const OPEN: Scope['web'] = { hosts: ['127.0.0.1'], private: true }

type Options = { web?: Scope['web']; seconds?: number; signal?: AbortSignal; maxBytes?: number }

const get = (url: string, { web = OPEN, seconds = 20, signal, maxBytes }: Options = {}) => {
  const spec = wall({ scope: { web }, limits: { seconds } })
  const { bench } = benchOf(spec, signal ? { signal } : {})
  return call(webFetch, { url, ...(maxBytes ? { maxBytes } : {}) }, bench)
}

const fine = (output: string, cut: string | null = null) => ({ kind: 'ok', output, paths: [], cut })
const failed = (message: string) => ({ kind: 'failed', message })

describe('a page', () => {
  test('comes as text, with its status and where it came from', async () => {
    await using server = await serve(text('hello\r\n\u001b[31mw\u00f6rld\u202e'))
    expect(await get(`${server.url}/a?b#c`)).toEqual(fine(`200 OK ${server.url}/a?b#c\nhello\n[31mwörld`))
    expect(server.asked.map(({ method, url, headers }) => [method, url, headers['host'], headers['cookie']])).toEqual([
      ['GET', '/a?b', `127.0.0.1:${server.port}`, undefined],
    ])
  })

  test('in another character set is read in that', async () => {
    await using server = await serve(text(Buffer.from([0xe9]), { 'content-type': 'text/plain; charset="latin1"' }))
    await using odd = await serve(text('é', { 'content-type': 'text/plain; charset=klingon' }))
    expect([await get(server.url), await get(odd.url)]).toEqual([
      fine(`200 OK ${server.url}/\né`),
      fine(`200 OK ${odd.url}/\né`),
    ])
  })

  test('of HTML is readable', async () => {
    const html = '<html><body><h1>Title</h1><p>See <a href="/b">this</a>.</p><script>evil()</script></body></html>'
    await using server = await serve(text(html, { 'content-type': 'text/html' }))
    expect(await get(server.url)).toEqual(fine(`200 OK ${server.url}/\n# Title\n\nSee this (${server.url}/b).`))
  })

  test.each(['application/json', 'application/ld+json; charset=utf-8', 'application/xml', 'text/csv', 'IMAGE/SVG+XML'])(
    'of type %s is read if it is text',
    async (type) => {
      await using server = await serve(text('{}', { 'content-type': type }))
      const isImage = type.startsWith('IMAGE')
      expect(await get(server.url)).toEqual(
        isImage
          ? failed(`${server.url}/: it is image/svg+xml, and only text is read`)
          : fine(`200 OK ${server.url}/\n{}`),
      )
    },
  )

  test('that is no text is not read', async () => {
    await using image = await serve(text('x', { 'content-type': 'image/png' }))
    await using unknown = await serve((_request, response) => response.end('x'))
    expect([await get(image.url), await get(unknown.url)]).toEqual([
      failed(`${image.url}/: it is image/png, and only text is read`),
      failed(`${unknown.url}/: it is of no kind that it names, and only text is read`),
    ])
  })

  test('that the server calls an error is a failure, with what it said', async () => {
    await using server = await serve((_request, response) =>
      response.writeHead(404, 'All Fine', { 'content-type': 'text/plain' }).end('no such page'),
    )
    expect(await get(server.url)).toEqual({
      kind: 'failed',
      message: `${server.url}/ answered 404 Not Found`,
      output: `404 Not Found ${server.url}/\nno such page`,
      cut: null,
    })
  })

  test('that nobody serves is a failure', async () => {
    const server = await serve(text(''))
    await server[Symbol.asyncDispose]()
    expect(await get(server.url)).toEqual(failed(`cannot fetch ${server.url}/: ECONNREFUSED`))
  })

  test('over TLS from who does not speak it is a failure', async () => {
    await using server = await serve(text('in the open'))
    expect(await get(server.url.replace('http', 'https'))).toEqual(
      failed(`cannot fetch https://127.0.0.1:${server.port}/: EPROTO`),
    )
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('that is packed with %s is unpacked', async (encoding, pack) => {
    await using server = await serve(text(pack('hello'), { 'content-encoding': encoding }))
    expect(await get(server.url)).toEqual(fine(`200 OK ${server.url}/\nhello`))
  })

  test('that is packed otherwise, or not as it says, is a failure', async () => {
    await using twice = await serve(text('x', { 'content-encoding': 'gzip, gzip' }))
    await using liar = await serve(text('x'.repeat(100), { 'content-encoding': 'gzip' }))
    expect([await get(twice.url), await get(liar.url)]).toEqual([
      failed(`${twice.url}/: it is packed as gzip, gzip, which is not known`),
      failed(`cannot fetch ${liar.url}/: Z_DATA_ERROR`),
    ])
  })

  test('is asked of no proxy of the environment', async () => {
    await using proxy = await serve(text('from the proxy'))
    await using server = await serve(text('from the server'))
    const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = proxy.url
    try {
      expect(await get(server.url)).toEqual(fine(`200 OK ${server.url}/\nfrom the server`))
    } finally {
      for (const [at, name] of names.entries()) {
        if (before[at] === undefined) delete process.env[name]
        else process.env[name] = before[at]
      }
    }
  })
})

describe('a page that means harm', () => {
  const MORE = 'the page goes on beyond what was read of it'

  test('by never ending is cut', async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', pour)
      pour()
    })
    const outcome = await get(server.url)
    const start = `200 OK ${server.url}/`
    const part = 'x'.repeat(10_000 - 80 - start.length - 1)
    expect(outcome).toEqual({
      ...fine(
        `${start}\n${part}\n[1 of 2 lines left out or cut short]`,
        `1 of 2 lines left out or cut short; the whole: read spill:1; ${MORE}`,
      ),
      spill: 'spill:1',
    })
  })

  test('by unpacking to something huge is cut', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 'a\n'))
    await using server = await serve(text(bomb, { 'content-encoding': 'gzip' }))
    const { bench, spilled } = benchOf(wall({ scope: { web: OPEN } }))
    const outcome = await call(webFetch, { url: server.url }, bench)
    expect({ cut: outcome.kind === 'ok' && outcome.cut, kept: spilled.map((kept) => kept.length) }).toEqual({
      cut: `999902 of 1000001 lines left out; the whole: read spill:1; ${MORE}`,
      kept: [2_000_000 + `200 OK ${server.url}/\n`.length],
    })
  })

  test('is read no further than is asked for', async () => {
    await using server = await serve(text('0123456789'))
    await using packed = await serve(text(gzipSync('0123456789'), { 'content-encoding': 'gzip' }))
    expect([
      await get(server.url, { maxBytes: 4 }),
      await get(packed.url, { maxBytes: 4 }),
      await get(server.url, { maxBytes: 10 }),
    ]).toEqual([
      fine(`200 OK ${server.url}/\n0123`, MORE),
      fine(`200 OK ${packed.url}/\n0123`, MORE),
      fine(`200 OK ${server.url}/\n0123456789`),
    ])
  })

  test.each([
    ['before it says anything', (): void => {}],
    ['in its head', (_request, response) => void response.socket?.write('HTTP/1.1 200 OK\r\nx: ')],
    ['in its text', (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('a')],
    [
      'in what it packed',
      (_request, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
          .write(gzipSync('a').subarray(0, 5)),
    ],
  ] as [string, RequestListener][])('by stopping %s is waited for no longer than the limit', async (_where, answer) => {
    await using server = await serve(answer)
    expect(await get(server.url, { seconds: 1 })).toEqual(failed(`${server.url}/ took longer than 1 s`))
  })

  test('is not waited for once the step is cancelled', async () => {
    await using server = await serve(() => {})
    const cancel = new AbortController()
    const outcome = get(server.url, { signal: cancel.signal })
    await eventually('the request', () => server.asked.length > 0)
    cancel.abort()
    expect(await outcome).toEqual(failed('the fetch was cancelled'))
    expect(await get(server.url, { signal: cancel.signal })).toEqual(failed('the fetch was cancelled'))
  })

  test('by a head that is too large, or by ending too early, is a failure', async () => {
    await using head = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', x: 'x'.repeat(100_000) }).end(),
    )
    await using early = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' }).write('a', () => {
        response.socket?.destroy()
      })
    })
    expect([await get(head.url), await get(early.url)]).toEqual([
      failed(`cannot fetch ${head.url}/: HPE_HEADER_OVERFLOW`),
      failed(`cannot fetch ${early.url}/: ECONNRESET`),
    ])
  })
})

describe('a redirect', () => {
  const to = (location: string, status = 302): RequestListener => {
    return (request, response) =>
      request.url === '/end'
        ? response.writeHead(200, { 'content-type': 'text/plain' }).end('here')
        : response.writeHead(status, { location }).end('moved')
  }

  test.each([301, 302, 303, 307, 308])('with %s is followed', async (status) => {
    await using server = await serve(to('/end', status))
    expect(await get(server.url)).toEqual(fine(`200 OK ${server.url}/end\nhere`))
  })

  test('out of the hosts is not followed', async () => {
    await using other = await serve(text('secret'))
    const tries = {
      [`http://localhost:${other.port}/`]: 'localhost is not one of the hosts that may be fetched from: 127.0.0.1',
      [`http://[::ffff:127.0.0.1]:${other.port}/`]:
        '::ffff:7f00:1 is not one of the hosts that may be fetched from: 127.0.0.1',
      [`//0.0.0.0:${other.port}/`]: '0.0.0.0 is not one of the hosts that may be fetched from: 127.0.0.1',
      [`http://a:b@127.0.0.1:${other.port}/`]: 'an address with a name or a password in it is not fetched',
      'file:///etc/passwd': 'file: is not fetched, only http: and https:',
      'data:text/plain,x': 'data: is not fetched, only http: and https:',
      'http://': 'http:// is not an address',
    }
    for (const [location, why] of Object.entries(tries)) {
      await using server = await serve(to(location))
      expect(await get(server.url)).toEqual(failed(`${server.url}/ leads to ${location}, where it may not go: ${why}`))
    }
    expect(other.asked).toEqual([])
  })

  test('is judged by where it really leads, also where every host is open', async () => {
    await using secret = await serve(text('secret'))
    await using server = await serve(to(`http://inner.example:${secret.port}/`))
    const names: Record<string, string> = { 'outer.example': '127.0.0.1', 'inner.example': '127.0.0.1' }
    const asked: string[] = []
    const outcome = await fetchPage(new URL(`http://outer.example:${server.port}/`), {
      // Only the first host is open as a private one would be: it stands for one of the open internet.
      web: {
        hosts: ['*'],
        get private() {
          return asked.length < 2
        },
      },
      lookup: async (host) => {
        asked.push(host)
        return [{ address: names[host] ?? '', family: 4 }]
      },
      signal: AbortSignal.timeout(20_000),
      most: 1000,
    })
    expect([outcome, asked, secret.asked]).toEqual([
      'inner.example is 127.0.0.1, which is not a public address',
      ['outer.example', 'inner.example'],
      [],
    ])
  })

  test('after a redirect after a redirect is one too many', async () => {
    await using server = await serve(to('/again'))
    expect(await get(server.url)).toEqual(failed(`${server.url}/ leads on and on: more than 5 times`))
    expect(server.asked.length).toEqual(6)
  })

  test('to nowhere is just an answer', async () => {
    await using server = await serve((_request, response) =>
      response.writeHead(302, { 'content-type': 'text/plain' }).end('where?'),
    )
    expect(await get(server.url)).toEqual(fine(`302 Found ${server.url}/\nwhere?`))
  })
})

describe('a host', () => {
  const fetchFrom = async (url: URL, web: Scope['web'], found: Address[]) => {
    const asked: string[] = []
    const page = await fetchPage(url, {
      web,
      lookup: async (host) => {
        asked.push(host)
        return found
      },
      signal: AbortSignal.timeout(20_000),
      most: 1000,
    })
    return { page: typeof page === 'string' ? page : page.text, asked }
  }

  test('is connected to at the address that was judged: nobody asks for its address again', async () => {
    await using server = await serve(text('hello'))
    const url = new URL(`http://no-such-host.example:${server.port}/`)
    const found = [{ address: '127.0.0.1', family: 4 }]
    expect(await fetchFrom(url, { hosts: ['*'], private: true }, found)).toEqual({
      page: 'hello',
      asked: ['no-such-host.example'],
    })
    expect(server.asked.map(({ headers }) => headers['host'])).toEqual([`no-such-host.example:${server.port}`])
  })

  test('with one private address among others is not connected to at all', async () => {
    await using server = await serve(text('secret'))
    const url = new URL(`http://two.example:${server.port}/`)
    const found = [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    expect(await fetchFrom(url, { hosts: ['*'], private: false }, found)).toEqual({
      page: 'two.example is 127.0.0.1, which is not a public address',
      asked: ['two.example'],
    })
    expect(server.asked).toEqual([])
  })

  test('without an address is not fetched from', async () => {
    expect(await fetchFrom(new URL('http://none.example/'), { hosts: ['*'], private: false }, [])).toEqual({
      page: 'none.example has no address',
      asked: ['none.example'],
    })
  })

  test('that turns out to be this machine is not fetched from', async () => {
    await using server = await serve(text('secret'))
    const [first] = await lookup('localhost', { all: true })
    const web = { hosts: ['localhost'], private: false }
    const closed = failed(`localhost is ${first?.address}, which is not a public address`)
    expect([
      await get(`http://localhost:${server.port}/`, { web }),
      await get(`http://localhost.:${server.port}/`, { web }),
      await get(`http://LOCALHOST:${server.port}/`, { web }),
    ]).toEqual([closed, closed, closed])
    expect(server.asked).toEqual([])
  })

  const judge = (url: string, web: Scope['web']) => {
    const reach = reachOf(webFetch, { url }, wall({ scope: { web } }))
    return 'code' in reach ? [reach.code, reach.message] : 'open'
  }

  test('is one of those that the scope names, or below one with a star', () => {
    const hosts = ['docs.rs', '*.python.org', 'bücher.example', '9.9.9.9']
    const may = (host: string) => judge(`https://${host}/`, { hosts, private: false }) === 'open'
    const open = [
      'docs.rs',
      'DOCS.RS',
      'docs.rs.',
      'docs.rs:8443',
      'a.python.org',
      'a.b.python.org',
      'bücher.example',
      '9.9.9.9',
    ]
    const closed = [
      'python.org',
      'a.docs.rs',
      'docs.rs.evil.com',
      'evilpython.org',
      'a.python.org.evil.com',
      '1.1.1.1',
      'localhost',
      'docs-rs',
    ]
    expect([...open, ...closed].filter(may)).toEqual(open)
    expect(judge('https://x.org/', { hosts: [], private: true })).toEqual([
      'address-refused',
      'test may not fetch this: x.org is not one of the hosts that may be fetched from: there are none',
    ])
  })

  test.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://%31%32%37.0.0.1/',
    'http://①②⑦.⓪.⓪.①/',
    'http:\\\\127.0.0.1/',
    'http:127.0.0.1',
    'http://127.0.0.1:80\\@example.org/',
    'http://0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://192.0.0.8/',
    'http://198.19.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[2001:db8::1]/',
    'http://[fc00::1]/',
    'http://[fd12::1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
  ])('is not this machine or its network, however that is spelt: %s', (url) => {
    const [code, message] = judge(url, { hosts: ['*'], private: false })
    expect([code, /is not a public address$/.test(message ?? '')]).toEqual(['address-refused', true])
    expect(judge(url, { hosts: ['*'], private: true })).toEqual('open')
  })

  test('of the open internet is one', () => {
    const urls = [
      'http://8.8.8.8/',
      'http://172.32.0.1/',
      'http://100.128.0.1/',
      'http://[2606:4700::1111]/',
      'http://[2a00::1]:8080/',
    ]
    expect(urls.map((url) => judge(url, { hosts: ['*'], private: false }))).toEqual(urls.map(() => 'open'))
  })

  test('is all that an address is fetched by: other schemes, names and passwords are refused', () => {
    const said = (url: string) => judge(url, { hosts: ['*'], private: true })
    const refused = (why: string) => ['address-refused', `test may not fetch this: ${why}`]
    const scheme = (name: string) => refused(`${name} is not fetched, only http: and https:`)
    const tries = [
      'file:///etc/passwd',
      'FILE:///etc/passwd',
      'ftp://a.org/',
      'data:text/html,x',
      'javascript:x',
      'unix:/run/x',
      'ws://a.org/',
      'blob:http://a.org/x',
    ]
    expect(tries.map(said)).toEqual(tries.map((url) => scheme(`${url.split(':')[0]?.toLowerCase()}:`)))
    const secret = refused('an address with a name or a password in it is not fetched')
    expect(['http://a@b.org/', 'http://a:b@c.org/', 'http://:b@c.org/'].map(said)).toEqual([secret, secret, secret])
    expect(
      ['', 'x', '/etc/passwd', '//a.org/', 'http://', 'http://a b/', 'http://[::1%25lo]/'].slice(1).map(said),
    ).toEqual(
      ['x', '/etc/passwd', '//a.org/', 'http://', 'http://a b/', 'http://[::1%25lo]/'].map((url) =>
        refused(`${url} is not an address`),
      ),
    )
    expect(webFetch.args.safeParse({ url: '' }).success).toEqual(false)
    expect(webFetch.args.safeParse({ url: 'http://a.org', method: 'POST' }).success).toEqual(false)
    expect(webFetch.args.safeParse({ url: 'http://a.org', maxBytes: 2_000_001 }).success).toEqual(false)
  })
})

describe('HTML', () => {
  const base = new URL('https://example.org/docs/page')
  const read = (html: string) => readable(html, base)

  test('is read without what nobody reads', () => {
    expect(
      read(`<!doctype html><html><head><title>A &amp; B</title><style>p { x: "</p>" }</style>
        <script>if (a < b) { document.write("<p>no</p>") }</SCRIPT ></head>
        <body><!-- no <p>no</p> --><noscript>no</noscript><svg><text>no</text></svg>
        <h2 class="a > b">Head</h2><p>One
          two&nbsp;three<br>four</p>
        <ul><li>first<li><b>sec</b>ond</ul>
        <pre>  keep
    this</pre><table><tr><td>a</td><td>b</td></tr></table>
        <img src="x.png" alt="a &quot;picture&quot;">
        </body></html>`),
    ).toEqual(
      [
        'A & B',
        '',
        '## Head',
        '',
        'One two\u00a0three',
        'four',
        '',
        '- first',
        '- second',
        '',
        '  keep',
        '    this',
        '',
        'a\tb',
        '',
        'a "picture"',
      ].join('\n'),
    )
  })

  test('has its links behind their texts', () => {
    expect(
      read(
        `<a href="../a?b=1&amp;c=2">rel</a> <a href=//other.org/>bare</a> <A HREF='https://x.org/'>abs</A> <a href="#top">top</a> <a href="javascript:x()">js</a> <a name=x>none</a> </a>`,
      ),
    ).toEqual('rel (https://example.org/a?b=1&c=2) bare (https://other.org/) abs (https://x.org/) top js none')
  })

  test('has its entities decoded once, and odd ones left alone', () => {
    expect(
      read('&lt;b&gt; &amp;lt; &#65;&#x42; &euro;5 &nothing; &#0; &#x110000; &#55296; a & b &copy 1 < 2 <3'),
    ).toEqual('<b> &lt; AB €5 &nothing; \uFFFD \uFFFD \uD800 a & b © 1 < 2 <3')
  })

  test.each([
    '<',
    '<a ',
    '<a "',
    '<!--',
    '<script>',
    '</script',
    '&',
    '&#',
    '<a href="',
    ' ',
    '\n',
    '<a>',
    '<pre>',
    '<p>',
    '<li>x',
    '<?',
  ])('of two megabytes of %j is gone over once', (piece) => {
    expect(read(piece.repeat(2_000_000 / piece.length)).length).toBeLessThanOrEqual(3_000_000)
  })
})
