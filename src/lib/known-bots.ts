/**
 * Programs that visit pages, by what their user agents say: the one list for events that arrive and for questions in SQL. The first sign that is found counts, so a more precise one
 * stands before a more general one.
 */
export interface Bot {
  readonly sign: string
  readonly name: string
  readonly operator: string
  readonly category: Category
  readonly type: 'AI Agent' | 'Bot' | 'Automation'
}

type Category =
  | 'ai_crawler'
  | 'ai_search'
  | 'ai_assistant'
  | 'search_crawler'
  | 'seo_crawler'
  | 'social_crawler'
  | 'monitoring'
  | 'headless_browser'
  | 'http_client'
  | 'other_bot'

const TYPES: Readonly<Record<Category, Bot['type']>> = {
  ai_crawler: 'AI Agent',
  ai_search: 'AI Agent',
  ai_assistant: 'AI Agent',
  search_crawler: 'Bot',
  seo_crawler: 'Bot',
  social_crawler: 'Bot',
  monitoring: 'Bot',
  other_bot: 'Bot',
  headless_browser: 'Automation',
  http_client: 'Automation',
}

const ROWS: readonly (readonly [category: Category, operator: string, ...signs: readonly string[]])[] = [
  ['ai_crawler', 'OpenAI', 'GPTBot'],
  ['ai_search', 'OpenAI', 'OAI-SearchBot'],
  ['ai_assistant', 'OpenAI', 'ChatGPT-User'],
  ['ai_crawler', 'Anthropic', 'ClaudeBot', 'anthropic-ai'],
  ['ai_search', 'Anthropic', 'Claude-SearchBot'],
  ['ai_assistant', 'Anthropic', 'Claude-User', 'Claude-Web'],
  ['ai_search', 'Perplexity', 'PerplexityBot'],
  ['ai_assistant', 'Perplexity', 'Perplexity-User'],
  ['ai_crawler', 'Google', 'Google-Extended', 'Google-CloudVertexBot'],
  ['ai_crawler', 'Meta', 'meta-externalagent', 'FacebookBot'],
  ['ai_assistant', 'Meta', 'meta-externalfetcher'],
  ['ai_crawler', 'Amazon', 'Amazonbot'],
  ['ai_crawler', 'Apple', 'Applebot-Extended'],
  ['ai_crawler', 'ByteDance', 'Bytespider'],
  ['ai_crawler', 'Common Crawl', 'CCBot'],
  ['ai_crawler', 'Cohere', 'cohere-ai'],
  ['ai_crawler', 'Mistral', 'MistralAI-User'],
  ['ai_crawler', 'Diffbot', 'Diffbot'],
  ['ai_search', 'You.com', 'YouBot'],
  ['ai_assistant', 'DuckDuckGo', 'DuckAssistBot'],
  ['search_crawler', 'Google', 'Googlebot', 'AdsBot-Google', 'Mediapartners-Google', 'Storebot-Google', 'GoogleOther'],
  ['search_crawler', 'Microsoft', 'bingbot', 'BingPreview', 'adidxbot', 'msnbot'],
  ['search_crawler', 'Yandex', 'YandexBot', 'YandexImages', 'YandexMobileBot'],
  ['search_crawler', 'Baidu', 'Baiduspider'],
  ['search_crawler', 'DuckDuckGo', 'DuckDuckBot'],
  ['search_crawler', 'Apple', 'Applebot'],
  ['search_crawler', 'Yahoo', 'Slurp'],
  ['search_crawler', 'Seznam', 'SeznamBot'],
  ['search_crawler', 'Naver', 'Yeti/'],
  ['search_crawler', 'Sogou', 'Sogou web spider', 'Sogou inst spider', 'Sogou Pic Spider'],
  ['search_crawler', 'Huawei', 'PetalBot'],
  ['search_crawler', 'Qwant', 'Qwantify', 'Qwantbot'],
  ['search_crawler', 'Internet Archive', 'archive.org_bot', 'ia_archiver'],
  ['seo_crawler', 'Ahrefs', 'AhrefsBot', 'AhrefsSiteAudit'],
  ['seo_crawler', 'Semrush', 'SemrushBot', 'SiteAuditBot'],
  ['seo_crawler', 'Majestic', 'MJ12bot'],
  ['seo_crawler', 'Moz', 'DotBot', 'rogerbot'],
  ['seo_crawler', 'Screaming Frog', 'Screaming Frog'],
  ['seo_crawler', 'DataForSEO', 'DataForSeoBot'],
  ['seo_crawler', 'Serpstat', 'serpstatbot'],
  ['seo_crawler', 'Barkrowler', 'Barkrowler'],
  ['social_crawler', 'Meta', 'facebookexternalhit', 'WhatsApp/'],
  ['social_crawler', 'X', 'Twitterbot'],
  ['social_crawler', 'LinkedIn', 'LinkedInBot'],
  ['social_crawler', 'Slack', 'Slackbot', 'Slack-ImgProxy'],
  ['social_crawler', 'Discord', 'Discordbot'],
  ['social_crawler', 'Telegram', 'TelegramBot'],
  ['social_crawler', 'Pinterest', 'Pinterestbot'],
  ['social_crawler', 'Reddit', 'redditbot'],
  ['social_crawler', 'Skype', 'SkypeUriPreview'],
  ['social_crawler', 'Embedly', 'Embedly'],
  ['monitoring', 'Uptime Robot', 'UptimeRobot'],
  ['monitoring', 'Pingdom', 'Pingdom'],
  ['monitoring', 'StatusCake', 'StatusCake'],
  ['monitoring', 'Better Stack', 'Better Uptime', 'BetterStack'],
  ['monitoring', 'Datadog', 'DatadogSynthetics', 'Datadog'],
  ['monitoring', 'New Relic', 'NewRelicPinger'],
  ['monitoring', 'Site24x7', 'Site24x7'],
  ['monitoring', 'Checkly', 'Checkly'],
  ['monitoring', 'Google', 'Chrome-Lighthouse', 'Google Page Speed', 'GoogleStackdriverMonitoring'],
  ['monitoring', 'GTmetrix', 'GTmetrix'],
  ['headless_browser', '', 'HeadlessChrome', 'PhantomJS', 'Puppeteer', 'Playwright', 'Selenium', 'Cypress', 'SlimerJS'],
  ['headless_browser', '', 'WebDriver', 'Headless'],
  ['http_client', '', 'curl/', 'Wget/', 'python-requests', 'python-urllib', 'aiohttp', 'httpx', 'Go-http-client'],
  ['http_client', '', 'okhttp', 'axios/', 'node-fetch', 'undici', 'Java/', 'Apache-HttpClient', 'libwww-perl'],
  ['http_client', '', 'PostmanRuntime', 'insomnia', 'Scrapy', 'GuzzleHttp', 'Faraday', 'Ruby/', 'PycURL'],
  ['other_bot', '', 'bot/', 'bot;', 'bot)', 'crawler', 'spider'],
]

export const BOTS: readonly Bot[] = ROWS.flatMap(([category, operator, ...signs]) =>
  signs.map((sign) => ({ sign, name: sign.replace(/[/;)]$/, ''), operator, category, type: TYPES[category] })),
)

const SIGNS = BOTS.map((bot) => ({ bot, sign: bot.sign.toLowerCase() }))

/** Undefined for people, and for programs that are not in the list. */
export function knownBot(userAgent: string): Bot | undefined {
  const agent = userAgent.toLowerCase()
  return SIGNS.find(({ sign }) => agent.includes(sign))?.bot
}
