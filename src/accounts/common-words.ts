/** The words that common passwords are made of. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `
password passwort passw pass word parole contrasena senha motdepasse kennwort wachtwoord secret secrets geheim private privat letmein
welcome willkommen bienvenue hello hallo hola login logon signin user username guest test testing tester temp temporary changeme change
default admin administrator root super superuser sysadmin manager master system server service support backup database oracle postgres
mysql footfall analytics posthog qwerty qwertz azerty qazwsx qweasd qazwsxedc asdf asdfgh zxcvbn zxcv iloveyou ilove iloveu love lover
loveme loveyou lovely mylove forever together heart angel angels baby babygirl babyboy honey sweet sweety sweetie sweetheart princess
prince queen king kings prinzessin schatz cookie sunshine sunflower sunny flower flowers rose butterfly rainbow summer winter spring
autumn sommer january february march april june july august september october november december monday tuesday wednesday thursday friday
saturday sunday football fussball soccer baseball basketball hockey tennis golf rugby cricket racing dragon dragons monkey tiger tigger
lion panther eagle eagles falcon wolf wolves bear bears shark dolphin dolphins horse horses puppy kitty kitten cat cats dog dogs
doggy buddy max bailey charlie rocky shadow ginger pepper mustang ferrari porsche mercedes bmw honda toyota corvette camaro harley yamaha
batman superman spiderman ironman hulk joker pokemon pikachu naruto mario zelda starwars startrek skywalker yoda matrix gandalf hobbit
frodo harry potter harrypotter hogwarts disney mickey minnie snoopy garfield simpson simpsons computer internet google facebook youtube
twitter instagram linkedin microsoft windows apple iphone samsung android nokia sony nintendo playstation xbox minecraft fortnite roblox
michael michelle jennifer jessica ashley amanda daniel danielle andrew anthony matthew joshua jordan justin robert thomas william james
john johnny david richard joseph christopher chris christian nicholas nicole samantha elizabeth stephanie melissa rachel rebecca hannah
sarah laura lauren julia julian maria marie martin martina patrick peter stefan andreas alexander alexandra alex sebastian benjamin brandon
tyler hunter taylor maggie molly sophie lucas emma oliver jack george oscar harley killer killers hacker hackers gangster soldier warrior
ninja samurai pirate pirates phoenix thunder lightning storm fire freedom liberty america american canada london england britain germany
deutschland berlin france paris italia roma espana madrid barcelona realmadrid liverpool arsenal chelsea manchester united juventus
russia moscow china india mexico brasil brazil australia chicago boston dallas cowboys yankees lakers steelers packers raiders newyork
california texas florida jesus christ god godisgood blessed faith hope heaven devil satan demon trustno trust trustme whatever nothing
something anything everything someone nobody access open sesame abracadabra magic magical mystery power powers strong money dollar
dollars million millionaire business company office work working job boss money cash silver gold golden diamond crystal purple orange
yellow green blue black white red pink banana apple cherry strawberry peanut chocolate cheese pizza coffee beer vodka whiskey tequila
music guitar metallica slipknot nirvana eminem tupac beatles rockstar rock metal punk dance dancer player gamer game games playboy sexy
sexsex fuck fuckyou fuckme fuckoff shit bitch asshole pussy dick porn hardcore naked college school student teacher family mother
father mommy daddy mama papa brother sister friend friends bestfriend birthday christmas newyear holiday vacation travel garden house
home kitchen window door table chair phone mobile number one two three four five six seven eight nine ten first last new old good
best better great cool nice happy smile lucky luck star stars moon sun sky ocean river mountain island beach water snow ice
my me you the your our is of and for with mine only just very not
`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
