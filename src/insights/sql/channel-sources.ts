/**
 * What is known of sources of traffic: the value of utm_source, or the domain of a referrer, as a whole or by its
 * significant part ("google" of www.google.co.uk). Follows the public lists of Google Analytics 4.
 */
export type SourceKind = 'search' | 'social' | 'video' | 'shopping' | 'email' | 'sms' | 'push' | 'ai'

const NAMES: Readonly<Record<SourceKind, string>> = {
  search: `google bing yahoo duckduckgo ddg baidu yandex ecosia qwant startpage naver daum sogou seznam ask aol brave
    search.brave.com presearch mojeek swisscows rambler so 360 cse.google.com sogou.com haosou search msn lycos dogpile
    com.google.android.googlequicksearchbox kagi`,
  social: `facebook fb instagram ig twitter x x.com t.co linkedin lnkd lnkd.in pinterest pin.it pin reddit snapchat threads
    threads.net mastodon bsky bluesky bsky.app tumblr vk vkontakte ok weibo wechat whatsapp telegram t.me org.telegram.messenger
    discord quora ycombinator hackernews lobste lobste.rs medium slack com.slack messenger xing viber line ning flickr
    producthunt stackoverflow com.linkedin.android com.reddit.frontpage com.twitter.android out.reddit.com m.facebook.com
    l.facebook.com lm.facebook.com l.instagram.com meetup nextdoor social gab truthsocial farcaster`,
  video: `youtube youtu.be vimeo twitch dailymotion tiktok netflix hulu disneyplus iqiyi youku bilibili wistia rumble
    com.google.android.youtube crackle curiositystream vevo`,
  shopping: `amazon ebay etsy shopify shop.app walmart aliexpress alibaba mercadolibre mercadolivre shopping.google.com igshopping
    google-shopping shopzilla shopping.yahoo.com idealo rakuten target bestbuy zalando temu`,
  email: `gmail mail.google.com com.google.android.gm outlook outlook.live.com hotmail mail.yahoo.com yahoomail mailchimp
    newsletter email e-mail e_mail mail customer.io customerio sendgrid klaviyo hubspot protonmail proton mail.proton.me
    substack mail.aol.com mail.ru postmark mailgun fastmail hs_email`,
  sms: 'sms twilio',
  push: 'push onesignal pushwoosh',
  ai: `chatgpt chatgpt.com chat.openai.com openai openai.com perplexity perplexity.ai claude claude.ai anthropic gemini
    gemini.google.com bard.google.com copilot copilot.microsoft.com deepseek chat.deepseek.com mistral chat.mistral.ai
    grok grok.com x.ai meta.ai you.com phind poe poe.com notebooklm.google.com aistudio.google.com kimi qwen
    chat.qwen.ai huggingface duck.ai`,
}

export const KIND_OF_SOURCE: ReadonlyMap<string, SourceKind> = new Map(
  (Object.entries(NAMES) as [SourceKind, string][]).flatMap(([kind, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, kind] as const),
  ),
)

export const PAID_CHANNEL: Readonly<Record<string, string>> = {
  search: 'Paid Search',
  social: 'Paid Social',
  video: 'Paid Video',
  shopping: 'Paid Shopping',
  ai: 'Paid AI',
}
export const ORGANIC_CHANNEL: Readonly<Record<SourceKind, string>> = {
  search: 'Organic Search',
  social: 'Organic Social',
  video: 'Organic Video',
  shopping: 'Organic Shopping',
  email: 'Email',
  sms: 'SMS',
  push: 'Push',
  ai: 'AI',
}

const table = (names: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(names).flatMap(([channel, media]) => media.split(' ').map((name) => [name, channel] as const)))

/** By utm_medium, which is paid already. */
export const PAID_MEDIUM = table({
  Display: 'cpm retargeting paid_display paiddisplay paid-display',
  'Paid Search': 'paid_search paidsearch paid-search',
  'Paid Social': 'paid_social paidsocial paid-social',
  'Paid Video': 'cpv paid_video paidvideo paid-video',
  'Paid Shopping': 'paid_shopping paidshopping paid-shopping',
})
export const ORGANIC_MEDIUM = table({
  Email: 'email e-mail e_mail mail newsletter',
  SMS: 'sms text',
  Push: 'push mobile notification',
  Affiliate: 'affiliate affiliates',
  Audio: 'audio podcast',
  Display: 'display banner expandable interstitial',
  Referral: 'referral app link',
  'Organic Social': 'social social-network social-media sm social_network social_media',
  'Organic Search': 'organic',
  'Organic Video': 'video',
  'Organic Shopping': 'shopping',
})
