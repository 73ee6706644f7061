select event, count() from events group by event order by count() desc;

SELECT event, timestamp, properties.$current_url FROM events WHERE event = '$pageview' AND timestamp > now() - INTERVAL 7 DAY ORDER BY timestamp DESC LIMIT 10;

SELECT properties.$browser AS browser, count() AS c FROM events WHERE timestamp >= now() - interval 30 day GROUP BY browser ORDER BY c DESC LIMIT 20;

SELECT toStartOfDay(timestamp) AS day, count(DISTINCT person_id) AS dau FROM events GROUP BY day ORDER BY day;

SELECT toStartOfInterval(timestamp, INTERVAL 15 minute) AS t, count() FROM events GROUP BY t ORDER BY t LIMIT 5;

SELECT toStartOfInterval(timestamp, toIntervalHour(6)) AS t, count() FROM events GROUP BY t ORDER BY t LIMIT 5;

SELECT date_trunc('week', timestamp) AS week, uniq(distinct_id) FROM events GROUP BY 1 ORDER BY 1;

SELECT dateTrunc('month', timestamp) as m, countIf(event = '$pageview') pv, countIf(event != '$pageview') other FROM events GROUP BY m ORDER BY m DESC;

SELECT person.properties.email, count() FROM events WHERE person.properties.email IS NOT NULL GROUP BY person.properties.email ORDER BY count() DESC LIMIT 10;

SELECT person.properties.email as email, person_id FROM events WHERE person.properties.email ILIKE '%@example.com' LIMIT 5;

SELECT id, properties.email, properties.plan FROM persons ORDER BY created_at DESC LIMIT 10;

SELECT count() FROM persons WHERE properties.plan = 'pro' AND created_at > now() - interval 90 day;

SELECT p.properties.email, count(e.uuid) AS n FROM events e JOIN persons p ON e.person_id = p.id GROUP BY p.properties.email ORDER BY n DESC LIMIT 10;

SELECT e.event, s.$session_duration FROM events AS e LEFT JOIN sessions AS s ON e.$session_id = s.session_id LIMIT 5;

SELECT session_id, $session_duration, $entry_current_url FROM sessions WHERE $start_timestamp > now() - interval 7 day ORDER BY $session_duration DESC LIMIT 10;

SELECT avg($session_duration), quantile(0.5)($session_duration), quantile(0.95)($session_duration) FROM sessions;

SELECT quantiles(0.5, 0.9, 0.99)($session_duration) FROM sessions;

SELECT $channel_type, count() FROM sessions GROUP BY $channel_type ORDER BY 2 DESC;

SELECT session.$entry_utm_source, count() FROM events GROUP BY session.$entry_utm_source;

SELECT session.$channel_type AS channel, uniq(person_id) FROM events WHERE event = '$pageview' GROUP BY channel;

SELECT session.id, session.duration FROM events LIMIT 3;

SELECT events.session.$session_duration FROM events LIMIT 3;

SELECT distinct_id, arrayStringConcat(groupArray(event), ' > ') FROM (SELECT distinct_id, event FROM events ORDER BY timestamp LIMIT 1000) GROUP BY distinct_id LIMIT 10;

SELECT distinct_id, groupArray(10)(event) FROM events GROUP BY distinct_id LIMIT 5;

SELECT distinct_id, groupUniqArray(event) AS evs FROM events GROUP BY distinct_id HAVING has(evs, '$pageview') LIMIT 10;

WITH first AS (SELECT person_id, min(timestamp) AS t FROM events WHERE event = '$pageview' GROUP BY person_id), second AS (SELECT person_id, min(timestamp) AS t FROM events WHERE event = 'sign up' GROUP BY person_id) SELECT count(), avg(dateDiff('minute', first.t, second.t)) FROM first INNER JOIN second ON first.person_id = second.person_id WHERE second.t > first.t;

WITH 5 AS five SELECT five + 1;

WITH daily AS (SELECT toDate(timestamp) AS day, count() AS c FROM events GROUP BY day) SELECT day, c, sum(c) OVER (ORDER BY day) AS cumulative, avg(c) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS ma7 FROM daily ORDER BY day;

SELECT person_id, event, timestamp, row_number() OVER (PARTITION BY person_id ORDER BY timestamp) AS rn FROM events LIMIT 10;

SELECT person_id, event, lagInFrame(event) OVER (PARTITION BY person_id ORDER BY timestamp ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS previous FROM events LIMIT 10;

SELECT event, lead(timestamp, 1) OVER (PARTITION BY distinct_id ORDER BY timestamp) AS nxt FROM events LIMIT 5;

SELECT event, dateDiff('second', lag(timestamp) OVER w, timestamp) AS gap FROM events WINDOW w AS (PARTITION BY person_id ORDER BY timestamp) LIMIT 10;

SELECT event, rank() OVER (ORDER BY count() DESC) AS r, count() AS c FROM events GROUP BY event;

SELECT event, count() * 100.0 / sum(count()) OVER () AS pct FROM events GROUP BY event ORDER BY pct DESC;

SELECT * FROM (SELECT event, distinct_id, row_number() OVER (PARTITION BY event ORDER BY timestamp DESC) AS rn FROM events) WHERE rn = 1;

SELECT event, distinct_id FROM events ORDER BY timestamp DESC LIMIT 2 BY event LIMIT 20;

SELECT arrayJoin(['a', 'b', 'c']) AS x;

SELECT arrayMap(x -> x * 2, [1, 2, 3]), arrayFilter(x -> x > 1, [1, 2, 3]), arraySort(x -> -x, [1, 2, 3]);

SELECT arrayZip([1,2],['a','b']) AS z, z[1].2;

SELECT tag, count() FROM events ARRAY JOIN splitByChar('/', ifNull(properties.$pathname, '')) AS tag WHERE event = '$pageview' GROUP BY tag ORDER BY count() DESC LIMIT 10;

SELECT key, count() FROM events ARRAY JOIN JSONExtractKeys(properties) AS key GROUP BY key ORDER BY count() DESC LIMIT 20;

SELECT JSONExtractString(properties, '$browser') AS b, count() FROM events GROUP BY b;

SELECT JSONExtractInt(properties, 'price'), JSONExtractFloat(properties, 'price'), JSONHas(properties, 'price') FROM events LIMIT 5;

SELECT JSONExtractRaw(properties, 'items') FROM events LIMIT 3;

SELECT JSONExtractArrayRaw(ifNull(properties.items, '[]')) FROM events LIMIT 3;

SELECT JSONExtractString(arrayJoin(JSONExtractArrayRaw(properties, 'items')), 'name') AS item, count() FROM events GROUP BY item;

SELECT properties.$set.email FROM events LIMIT 3;

SELECT properties['$browser'] FROM events LIMIT 3;

SELECT properties."$browser" FROM events LIMIT 3;

SELECT properties.`$browser` FROM events LIMIT 3;

SELECT toFloat(properties.price) * 2 FROM events LIMIT 3;

SELECT sum(toFloatOrZero(properties.price)) FROM events;

SELECT sum(toFloat(properties.amount)) AS revenue, toStartOfMonth(timestamp) AS month FROM events WHERE event = 'purchase' GROUP BY month ORDER BY month;

SELECT toDate(timestamp) d, sumIf(toFloat(properties.amount), event = 'purchase') FROM events GROUP BY d;

SELECT count() FROM events WHERE event IN ('$pageview', '$autocapture');

SELECT count() FROM events WHERE person_id IN (SELECT person_id FROM events WHERE event = 'sign up');

SELECT count() FROM events WHERE person_id NOT IN (SELECT id FROM persons WHERE properties.email LIKE '%test%');

SELECT count() FROM events WHERE distinct_id IN (SELECT distinct_id FROM person_distinct_ids LIMIT 10);

SELECT event FROM events WHERE event LIKE '$%' GROUP BY event UNION ALL SELECT event FROM events WHERE event NOT LIKE '$%' GROUP BY event;

SELECT 'a' AS k, count() AS v FROM events UNION ALL SELECT 'b', count() FROM persons;

SELECT * FROM (SELECT 1 AS a UNION ALL SELECT 2) ORDER BY a;

SELECT count() FROM events WHERE {filters};

SELECT event, count() FROM events WHERE event = '$pageview' AND {filters} GROUP BY event;

SELECT toStartOfDay(timestamp), count() FROM events WHERE timestamp >= {filters.dateRange.from} AND timestamp < {filters.dateRange.to} GROUP BY 1;

SELECT countIf(properties.plan = 'pro') AS pro, countIf(properties.plan = 'free') AS free, countIf(properties.plan NOT IN ('pro', 'free')) AS rest FROM events;

SELECT toDayOfWeek(timestamp) AS dow, toHour(timestamp) AS hour, count() FROM events GROUP BY dow, hour ORDER BY dow, hour;

SELECT formatDateTime(timestamp, '%Y-%m-%d %H:%i') AS f, count() FROM events GROUP BY f LIMIT 5;

SELECT if(properties.$os = 'iOS', 'apple', 'other') AS os, count() FROM events GROUP BY os;

SELECT CASE WHEN properties.$browser = 'Chrome' THEN 'c' WHEN properties.$browser LIKE 'Saf%' THEN 's' ELSE 'x' END AS b, count() FROM events GROUP BY b;

SELECT multiIf(properties.$browser = 'Chrome', 'c', properties.$browser = 'Safari', 's', 'x') AS b, count() FROM events GROUP BY b;

SELECT coalesce(properties.utm_source, properties.$referring_domain, 'direct') AS src, count() FROM events GROUP BY src;

SELECT nullIf(properties.$referrer, '') IS NULL, count() FROM events GROUP BY 1;

SELECT domain(properties.$current_url), path(properties.$current_url), count() FROM events GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10;

SELECT extractURLParameter(properties.$current_url, 'utm_source') FROM events LIMIT 3;

SELECT cutQueryString(properties.$current_url) FROM events LIMIT 3;

SELECT replaceRegexpAll(properties.$pathname, '/[0-9]+', '/:id') AS p, count() FROM events GROUP BY p ORDER BY count() DESC LIMIT 10;

SELECT extract(properties.$current_url, 'https?://([^/]+)') AS host FROM events LIMIT 3;

SELECT match(properties.$current_url, '.*pricing.*') FROM events LIMIT 3;

SELECT properties.$current_url =~ 'pricing' FROM events LIMIT 3;

SELECT event, argMax(properties.$current_url, timestamp) FROM events GROUP BY event;

SELECT person_id, argMin(properties.$referring_domain, timestamp) AS first_ref FROM events GROUP BY person_id LIMIT 10;

SELECT windowFunnel(86400)(toDateTime(timestamp), event = '$pageview', event = 'sign up') AS level FROM events GROUP BY person_id LIMIT 5;

SELECT level, count() FROM (SELECT person_id, windowFunnel(604800)(toDateTime(timestamp), event = '$pageview', event = 'sign up', event = 'purchase') AS level FROM events GROUP BY person_id) GROUP BY level ORDER BY level;

SELECT retention(event = '$pageview', event = 'sign up') FROM events GROUP BY person_id LIMIT 3;

SELECT sequenceMatch('(?1).*(?2)')(toDateTime(timestamp), event = '$pageview', event = 'sign up') FROM events GROUP BY person_id LIMIT 3;

SELECT topK(5)(event) FROM events;

SELECT uniqExact(person_id), uniqHLL12(person_id) FROM events;

SELECT min(timestamp), max(timestamp), dateDiff('day', min(timestamp), max(timestamp)) FROM events;

SELECT count() FROM events WHERE timestamp BETWEEN '2020-01-01' AND '2030-01-01';

SELECT count() FROM events WHERE timestamp >= '2024-01-01 00:00:00';

SELECT count() FROM events WHERE timestamp > toDateTime('2024-01-01 00:00:00') AND toDate(timestamp) < today();

SELECT count() FROM events WHERE toDate(timestamp) = yesterday();

SELECT count() FROM events WHERE timestamp >= toStartOfMonth(now()) - INTERVAL 1 MONTH AND timestamp < toStartOfMonth(now());

SELECT count() FROM events WHERE timestamp >= dateSub(day, 7, now());

SELECT count() FROM events WHERE timestamp >= subtractDays(now(), 7) AND timestamp <= addHours(now(), 1);

SELECT dateAdd(day, 1, now()), dateAdd(now(), INTERVAL 1 DAY), date_add(now(), interval 1 day);

SELECT date_diff('day', toDate('2024-01-01'), toDate('2024-02-01'));

SELECT toUnixTimestamp(timestamp), fromUnixTimestamp(1700000000) FROM events LIMIT 1;

SELECT toTimeZone(timestamp, 'Europe/Berlin') FROM events LIMIT 1;

SELECT parseDateTimeBestEffort('2024-01-01T00:00:00Z');

SELECT toString(timestamp), toYYYYMM(timestamp) FROM events LIMIT 1;

SELECT number FROM numbers(10);

SELECT toDate('2024-01-01') + number AS day FROM numbers(31);

SELECT d.day, count(e.uuid) FROM (SELECT toDate(now()) - number AS day FROM numbers(14)) d LEFT JOIN events e ON toDate(e.timestamp) = d.day GROUP BY d.day ORDER BY d.day;

SELECT arrayJoin(range(0, 5)) AS n;

SELECT session_id, click_count, start_time FROM session_replay_events ORDER BY start_time DESC LIMIT 5;

SELECT s.session_id, any(e.person.properties.email) FROM session_replay_events s JOIN events e ON e.$session_id = s.session_id GROUP BY s.session_id;

SELECT session_id, min(min_first_timestamp), max(max_last_timestamp), sum(click_count), argMinMerge(first_url) FROM raw_session_replay_events GROUP BY session_id;

SELECT count() FROM raw_session_replay_events WHERE min_first_timestamp > now() - interval 7 day;

SELECT key, properties.name, index FROM groups;

SELECT $group_0, count() FROM events GROUP BY $group_0 ORDER BY 2 DESC;

SELECT group_0.properties.name, count() FROM events GROUP BY 1;

SELECT company.properties.name FROM events LIMIT 3;

SELECT g.properties.name, count() FROM events e JOIN groups g ON e.$group_0 = g.key AND g.index = 0 GROUP BY 1;

SELECT person_id FROM cohort_people WHERE cohort_id = 1;

SELECT person_id FROM static_cohort_people WHERE cohort_id = 1;

SELECT * FROM system.cohorts;

SELECT id, name, query FROM system.insights;

SELECT * FROM system.dashboards;

SELECT table_name, column_name, data_type FROM system.information_schema.columns WHERE table_name = 'events';

SELECT * FROM information_schema.tables;

SELECT * FROM system.feature_flags;

SELECT id, key, name, filters FROM system.feature_flags WHERE deleted = 0;

SELECT * FROM system.experiments;

SELECT * FROM system.annotations;

-- refused
SELECT * FROM system.groups;

-- refused
SELECT * FROM system.teams;

-- refused
SELECT * FROM system.surveys;

SELECT * FROM system.group_type_mappings;

-- refused
SELECT * FROM system.ingestion_warnings;

-- refused
SELECT * FROM system.tables;

SELECT * FROM events LIMIT 1;

SELECT e.* FROM events e LIMIT 1;

SELECT *, person.properties.email FROM events LIMIT 1;

-- refused
SELECT person.* FROM events LIMIT 1;

SELECT tuple(1, 'a'), (1, 'a').2;

SELECT map('a', 1)['a'];

SELECT event, count(*) FROM events GROUP BY ALL;

-- refused
SELECT event, count() FROM events GROUP BY event WITH ROLLUP;

-- refused
SELECT event, count() FROM events GROUP BY event WITH TOTALS;

-- refused
SELECT event, properties.$browser, count() FROM events GROUP BY GROUPING SETS ((event), (properties.$browser));

-- refused
SELECT event, properties.$os, count() FROM events GROUP BY ROLLUP(event, properties.$os);

SELECT count() FILTER (WHERE event = '$pageview') FROM events;

SELECT sum(1) FILTER (WHERE event = '$pageview') AS pv, count(*) FILTER (WHERE properties.$browser = 'Chrome') AS c FROM events;

SELECT EXTRACT(YEAR FROM timestamp) AS y, count() FROM events GROUP BY y;

SELECT extract(hour from timestamp), count() FROM events GROUP BY 1;

SELECT timestamp::date AS d, count(*)::float FROM events GROUP BY d;

SELECT CAST(properties.price AS Nullable(Float64)) FROM events LIMIT 2;

-- refused
SELECT CAST(properties.price AS DOUBLE PRECISION) FROM events LIMIT 2;

SELECT count(distinct person_id) FROM events;

SELECT distinct event FROM events;

SELECT DISTINCT ON (event) event, timestamp FROM events ORDER BY event, timestamp DESC;

SELECT event FROM events WHERE event NOT ILIKE '%page%' AND NOT (event = 'x');

SELECT 1 WHERE EXISTS (SELECT 1 FROM events);

SELECT event FROM events WHERE timestamp = (SELECT max(timestamp) FROM events);

SELECT (SELECT count() FROM events) / (SELECT count() FROM persons) AS per;

SELECT event, count() AS c FROM events GROUP BY event HAVING c > 1 ORDER BY c DESC NULLS LAST;

SELECT event AS "Event name", count() AS `How many` FROM events GROUP BY event;

SELECT event, count() AS c FROM events GROUP BY 1 ORDER BY 2 DESC LIMIT 5 OFFSET 1;

SELECT a.event, b.event FROM events a CROSS JOIN events b LIMIT 1;

SELECT a.x, b.y FROM (SELECT 1 AS id, 2 AS x) a FULL OUTER JOIN (SELECT 1 AS id, 3 AS y) b ON a.id = b.id;

SELECT a.x, b.y FROM (SELECT 1 AS id, 2 AS x) a JOIN (SELECT 1 AS id, 3 AS y) b USING (id);

SELECT a.x, b.y FROM (SELECT 1 AS id, 2 AS x) a JOIN (SELECT 1 AS id, 3 AS y) b USING id;

SELECT a.t, b.t FROM (SELECT distinct_id, timestamp t FROM events WHERE event = '$pageview') a ASOF JOIN (SELECT distinct_id, timestamp t FROM events) b ON a.distinct_id = b.distinct_id AND a.t >= b.t LIMIT 3;

SELECT * FROM events AS e INNER JOIN events AS f ON e.uuid = f.uuid LIMIT 1;

SELECT count() FROM events e, persons p WHERE e.person_id = p.id;

SELECT e.event FROM events e LEFT ANY JOIN persons p ON p.id = e.person_id LIMIT 2;

SELECT e.event FROM events e ANY LEFT JOIN persons p ON p.id = e.person_id LIMIT 2;

SELECT e.event FROM events e LEFT SEMI JOIN persons p ON p.id = e.person_id LIMIT 2;

SELECT e.event FROM events e GLOBAL INNER JOIN persons p ON p.id = e.person_id LIMIT 2;

SELECT event FROM events SAMPLE 0.1 LIMIT 3;

SELECT event FROM events SAMPLE 1/10 LIMIT 3;

SELECT event, length(event) AS l, l * 2 AS ll FROM events WHERE l > 3 LIMIT 3;

SELECT lower(event), upper(event), trim(event), substring(event, 1, 3), left(event, 2), right(event, 2) FROM events LIMIT 2;

SELECT concat(event, ' ', toString(1)), event || '-' || distinct_id FROM events LIMIT 2;

SELECT splitByString(', ', 'a, b')[1];

SELECT round(avg(toFloat(properties.price)), 2), median(toFloat(properties.price)), stddevPop(toFloat(properties.price)) FROM events;

-- refused
SELECT least(1, 2), greatest(1, 2), abs(-1), floor(1.5), ceil(1.5), round(1.55, 1), pow(2, 3), sqrt(4), log(10), exp(1), 7 % 3, intDiv(7, 3), 7 div 2, 7 mod 2;

SELECT toInt('5'), toFloat('1.5'), toBool('true'), toUUID('00000000-0000-0000-0000-000000000000'), toDate('2024-01-01'), toDateTime('2024-01-01');

SELECT histogram(5)($session_duration) FROM sessions;

SELECT bar(count(), 0, 100, 20) FROM events;

SELECT sparkline([1,2,3]);

SELECT sparkline(groupArray(c)) FROM (SELECT toDate(timestamp) d, count() c FROM events GROUP BY d ORDER BY d);

-- refused
SELECT generateUUIDv4(), rand(), now64(), currentDatabase();

SELECT hex('a'), base64Encode('a'), MD5('a'), SHA256('a'), cityHash64('a'), sipHash64('a');

SELECT toStartOfHour(timestamp) AS hour, count() FROM events WHERE timestamp > now() - INTERVAL 24 HOUR GROUP BY hour ORDER BY hour WITH FILL STEP toIntervalHour(1);

SELECT toStartOfDay(timestamp) AS d, count() c FROM events GROUP BY d ORDER BY d ASC WITH FILL FROM toStartOfDay(now() - INTERVAL 7 DAY) TO toStartOfDay(now()) STEP INTERVAL 1 DAY;

SELECT event, count() c FROM events GROUP BY event ORDER BY c DESC LIMIT 3 WITH TIES;

SELECT hogql_lookupDomainType('google.com');

-- refused
SELECT convertCurrency('EUR', 'USD', 10);

SELECT getSurveyResponse(0) FROM events LIMIT 1;

SELECT isLikelyBot(properties.$raw_user_agent) FROM events LIMIT 1;

SELECT recording_button($session_id) FROM events LIMIT 1;

SELECT elements_chain_href, elements_chain_texts FROM events WHERE event = '$autocapture' LIMIT 3;

SELECT elements_chain =~ 'button' FROM events LIMIT 2;

SELECT arrayDistinct(groupArray(event)), arrayUniq(groupArray(event)) FROM events;

SELECT arrayReduce('sum', [1,2,3]), arrayEnumerate([1,2]), arrayConcat([1],[2]), arraySlice([1,2,3],1,2), indexOf([1,2],2), has([1],1), hasAny([1],[1]), hasAll([1],[1]), empty([]), notEmpty([1]);

SELECT arrayCumSum([1,2,3]), arrayDifference([1,2,4]), arrayCompact([1,1,2]), arrayReverse([1,2]), arrayFlatten([[1],[2]]), arrayPushBack([1],2), arrayPopFront([1,2]);

SELECT arrayExists(x -> x > 1, [1,2]), arrayAll(x -> x > 0, [1,2]), arrayCount(x -> x > 1, [1,2]), arrayFirst(x -> x > 1, [1,2]), arraySum(x -> x * 2, [1,2]), arrayAvg([1,2]), arrayMax([1,2]), arrayMin([1,2]);

SELECT arrayMap((x, i) -> (i, x), ['a','b'], arrayEnumerate(['a','b']));

SELECT groupArray((timestamp, event)) AS arr, arraySort(x -> x.1, arr) FROM events GROUP BY distinct_id LIMIT 2;

SELECT arrayMap(x -> x.2, arraySort(groupArray((timestamp, event)))) AS path, count() FROM events GROUP BY distinct_id LIMIT 2;

SELECT sumMap(map('a', 1));

SELECT uniqIf(person_id, event = '$pageview') / uniq(person_id) AS share FROM events;

SELECT count() AS total, countIf(event = 'sign up') AS ups, round(ups / total * 100, 1) AS rate FROM events;

SELECT toString(uuid) AS id FROM events LIMIT 1;

SELECT properties.$feature_flag, properties.$feature_flag_response, count() FROM events WHERE event = '$feature_flag_called' GROUP BY 1, 2;

SELECT properties.`$feature/new-checkout` AS variant, count() FROM events GROUP BY variant;

SELECT properties.$web_vitals_LCP_value FROM events WHERE event = '$web_vitals' LIMIT 1;

SELECT quantile(0.75)(toFloat(properties.$web_vitals_LCP_value)) FROM events WHERE event = '$web_vitals';

SELECT event, timestamp FROM events WHERE timestamp >= now() - toIntervalDay(1) AND event ilike '%page%' ORDER BY timestamp DESC;

SELECT properties.$exception_types, properties.$exception_values FROM events WHERE event = '$exception' LIMIT 3;

SELECT toStartOfWeek(timestamp, 1) w, count() FROM events GROUP BY w;

-- refused
SELECT toStartOfWeek(timestamp, 'monday') FROM events LIMIT 1;

SELECT toMonday(timestamp), toStartOfQuarter(timestamp), toStartOfYear(timestamp), toLastDayOfMonth(timestamp) FROM events LIMIT 1;

SELECT timeSlot(timestamp), toStartOfFiveMinutes(timestamp), toStartOfMinute(timestamp) FROM events LIMIT 1;

SELECT dateName('month', timestamp), monthName(timestamp), toDayOfMonth(timestamp), toWeek(timestamp), toISOWeek(timestamp) FROM events LIMIT 1;

SELECT age('day', toDateTime('2024-01-01'), now());

SELECT pdi.distinct_id, pdi.person_id FROM events LIMIT 1;

SELECT pdi.person.properties.email FROM events LIMIT 1;

SELECT id, pdi.distinct_id FROM persons LIMIT 2;

SELECT distinct_id, person.properties.email FROM person_distinct_ids LIMIT 2;

SELECT person_distinct_ids.person_id FROM person_distinct_ids LIMIT 1;

SELECT poe.id, poe.properties.email FROM events LIMIT 1;

SELECT events.event, events.properties.$browser FROM events WHERE events.event = '$pageview' LIMIT 1;

-- refused
SELECT $session_id, $window_id, $lib FROM events LIMIT 1;

SELECT properties.$lib, properties.$lib_version FROM events LIMIT 1;

-- refused
SELECT event, elements_hash FROM events LIMIT 1;

SELECT event, created_at, person_mode FROM events LIMIT 1;

SELECT team_id FROM events LIMIT 1;

SELECT $start_timestamp, $end_timestamp, $exit_current_url, $exit_pathname FROM sessions LIMIT 1;

SELECT id, duration, $entry_utm_source FROM sessions LIMIT 1;

-- refused
SELECT session_id, $page_screen_autocapture_count_up_to, $last_external_click_url FROM sessions LIMIT 1;

-- refused
SELECT $entry_fbclid, $entry_msclkid, $entry_ttclid, $entry_gad_source, $entry_gclsrc FROM sessions LIMIT 1;

SELECT $vitals_lcp FROM sessions LIMIT 1;

SELECT $session_duration / 60 AS minutes, count() FROM sessions GROUP BY minutes ORDER BY minutes;

-- refused
SELECT person_id, count() FROM sessions GROUP BY person_id;

SELECT s.session_id, p.properties.email FROM sessions s JOIN person_distinct_ids pdi ON s.distinct_id = pdi.distinct_id JOIN persons p ON p.id = pdi.person_id LIMIT 3;

SELECT is_identified, count() FROM persons GROUP BY is_identified;

SELECT id, properties FROM persons LIMIT 1;

-- refused
SELECT id, person_properties FROM persons LIMIT 1;

-- refused
SELECT person.is_identified FROM events LIMIT 1;

-- refused
SELECT person_properties.email FROM events LIMIT 1;

-- refused
SELECT JSONExtractString(person_properties, 'email') FROM events LIMIT 1;

SELECT JSONExtractString(person.properties, 'email') FROM events LIMIT 1;

-- refused
SELECT virt_initial_channel_type FROM persons LIMIT 1;

SELECT person.$virt_initial_channel_type FROM events LIMIT 1;

SELECT person.properties.$virt_initial_referring_domain_type FROM events LIMIT 1;

SELECT properties.$virt_initial_channel_type FROM persons LIMIT 1;

SELECT $virt_initial_channel_type FROM persons LIMIT 1;

-- refused
SELECT $virt_revenue FROM persons LIMIT 1;

SELECT $virt_is_bot FROM events LIMIT 1;

-- refused
SELECT last_seen_at FROM persons LIMIT 1;

SELECT event FROM events WHERE properties.price > 5;

SELECT event FROM events WHERE properties.price = '5';

SELECT event FROM events WHERE properties.flag = true;

SELECT event FROM events WHERE properties.flag = 'true';

SELECT event FROM events WHERE toString(properties.flag) = 'true';

SELECT event FROM events WHERE notEmpty(properties.email);

SELECT event FROM events WHERE empty(properties.email) OR isNull(properties.email) LIMIT 1;

SELECT event FROM events WHERE lower(properties.$browser) = 'chrome' LIMIT 1;

SELECT event FROM events WHERE properties.$browser in ['Chrome', 'Safari'] LIMIT 1;

SELECT event FROM events WHERE has(['a'], event) LIMIT 1;

SELECT event FROM events WHERE (event, distinct_id) IN (SELECT event, distinct_id FROM events LIMIT 1);

SELECT event FROM events WHERE tuple(event, distinct_id) IN (('a', 'b'), ('c', 'd'));

SELECT event -- a comment
FROM events /* another */ LIMIT 1;

SELECT event FROM events LIMIT 1 -- end;

-- refused
SELECT event FROM events LIMIT 1 SETTINGS max_threads = 1;

-- refused
SELECT event FROM events FINAL LIMIT 1;

SELECT event FROM posthog.events LIMIT 1;

-- refused
SELECT event FROM default.events LIMIT 1;

SELECT event FROM "events" LIMIT 1;

-- refused
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t;

WITH t AS (SELECT 1 AS n), u AS (SELECT n + 1 AS m FROM t) SELECT m FROM u;

WITH t(a, b) AS (SELECT 1, 2) SELECT a + b FROM t;

WITH t AS MATERIALIZED (SELECT 1 AS n) SELECT n FROM t;

WITH (SELECT count() FROM events) AS total SELECT event, count() / total FROM events GROUP BY event;

SELECT event, any(total) FROM events CROSS JOIN (SELECT count() AS total FROM events) AS t GROUP BY event;

-- refused
VALUES (1, 2);

-- refused
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t;

-- refused
SELECT * FROM values('a Int32, b String', (1, 'x'));

SELECT arr[1], arr[-1] FROM (SELECT [1,2,3] AS arr);

-- refused
SELECT x -> x + 1;

SELECT a ? 'y' : 'n' FROM (SELECT 1 AS a);

SELECT NULL IS NULL, 1 IS NOT NULL, NULL = NULL, 1 <> 2;

-- refused
SELECT 0x1F, 1e3, .5, -1, +1;

SELECT 'it''s', 'it\'s', "event" FROM events LIMIT 1;

SELECT interval 1 day, INTERVAL '1 day', toIntervalDay(1);

SELECT now() - interval 1 week, now() + interval 1 quarter;

SELECT now() - INTERVAL '7' DAY, now() - INTERVAL '30 days';

SELECT current_date, current_timestamp, now();

SELECT CURRENT_DATE(), today(), current_date() - 7;

-- refused
SELECT NOW() AT TIME ZONE 'UTC';

SELECT date '2024-01-01', timestamp '2024-01-01 00:00:00';

SELECT position(event, 'page'), locate(event, 'page'), strpos(event, 'page'), position('page' IN event) FROM events LIMIT 1;

SELECT substring(event FROM 1 FOR 3) FROM events LIMIT 1;

-- refused
SELECT event ~ 'page', event ~* 'PAGE', event !~ 'x', event SIMILAR TO 'x' FROM events LIMIT 1;

-- refused
SELECT regexp_replace(event, 'a', 'b'), regexp_matches(event, 'a') FROM events LIMIT 1;

-- refused
SELECT string_agg(event, ','), array_agg(event), group_concat(event), listagg(event) FROM events;

-- refused
SELECT json_extract(properties, '$.price'), get_json_object(properties, '$.price') FROM events LIMIT 1;

-- refused
SELECT properties->'$browser', properties->>'$browser' FROM events LIMIT 1;

SELECT date_part('hour', timestamp), to_char(timestamp, 'YYYY-MM') FROM events LIMIT 1;

-- refused
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY $session_duration) FROM sessions;

-- refused
SELECT approx_count_distinct(person_id), count_distinct(person_id) FROM events;

-- refused
SELECT count(event, distinct_id) FROM events;

SELECT COUNT(DISTINCT event, distinct_id) FROM events;

SELECT countDistinct(event, distinct_id), uniq(event, distinct_id), countDistinctIf(event, event != 'x') FROM events;

SELECT first_value(event) OVER (PARTITION BY person_id ORDER BY timestamp ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM events LIMIT 1;

SELECT sum(count()) OVER (ORDER BY toDate(timestamp)) FROM events GROUP BY toDate(timestamp);

SELECT toDate(timestamp) AS d, count() AS c, c - lag(c) OVER (ORDER BY d) AS delta FROM events GROUP BY d ORDER BY d;

SELECT ntile(4) OVER (ORDER BY c) AS q, c FROM (SELECT count() AS c FROM events GROUP BY person_id);

-- refused
SELECT * FROM (SELECT event, count() AS c FROM events GROUP BY event) PIVOT (sum(c) FOR event IN ('a', 'b'));

SELECT event, countIf(toDate(timestamp) = today()) AS today, countIf(toDate(timestamp) = yesterday()) AS yesterday FROM events GROUP BY event;

SELECT * EXCEPT (properties) FROM events LIMIT 1;

SELECT * EXCLUDE (properties) FROM events LIMIT 1;

-- refused
SELECT COLUMNS('e.*') FROM events LIMIT 1;

SELECT * REPLACE (upper(event) AS event) FROM events LIMIT 1;

SELECT event FROM events QUALIFY row_number() OVER (PARTITION BY event ORDER BY timestamp) = 1;

SELECT event FROM events LIMIT 10 UNION DISTINCT SELECT event FROM events LIMIT 10;

SELECT event FROM events INTERSECT SELECT event FROM events;

SELECT event FROM events EXCEPT SELECT event FROM events WHERE event = '$pageview';

-- refused
SELECT event FROM events FETCH FIRST 5 ROWS ONLY;

-- refused
SELECT TOP 5 event FROM events;

SELECT event, count() FROM events GROUP BY event ORDER BY COUNT(*) DESC;

SELECT event, count(1) FROM events GROUP BY event;

SELECT Count(*), SUM(1), Avg(1), MIN(1), MAX(1) FROM events;

SELECT ifNull(properties.x, 'none'), IFNULL(properties.x, 'none'), NVL(properties.x, 'none'), ISNULL(properties.x) FROM events LIMIT 1;

-- refused
SELECT IF(1 = 1, 'a', 'b'), IIF(1 = 1, 'a', 'b');

-- refused
SELECT dictGet('x', 'y', 1);

SELECT transform(event, ['$pageview', '$autocapture'], ['Page', 'Click'], 'Other') FROM events LIMIT 1;

SELECT formatReadableSize(1024), formatReadableQuantity(1000000), formatReadableTimeDelta(3600);

-- refused
SELECT toTypeName(1), toColumnTypeName(1), dumpColumnStructure(1);

-- refused
SELECT runningDifference(number), runningAccumulate(number) FROM numbers(3);

-- refused
SELECT neighbor(number, -1) FROM numbers(3);

SELECT levenshteinDistance('a', 'b'), editDistance('a','b'), ngramDistance('ab', 'ac');

-- refused
SELECT e1.person_id FROM events e1 WHERE e1.event = '$pageview' AND NOT EXISTS (SELECT 1 FROM events e2 WHERE e2.person_id = e1.person_id AND e2.event = 'purchase') LIMIT 3;

SELECT day, sum(new) OVER (ORDER BY day) FROM (SELECT toDate(first) AS day, count() AS new FROM (SELECT person_id, min(timestamp) AS first FROM events GROUP BY person_id) GROUP BY day) ORDER BY day;

SELECT toStartOfWeek(first_seen) AS cohort, dateDiff('week', toStartOfWeek(first_seen), toStartOfWeek(e.timestamp)) AS w, uniq(e.person_id) FROM events e JOIN (SELECT person_id, min(timestamp) AS first_seen FROM events GROUP BY person_id) f ON e.person_id = f.person_id GROUP BY cohort, w ORDER BY cohort, w;

SELECT path, next, count() FROM (SELECT properties.$pathname AS path, leadInFrame(properties.$pathname) OVER (PARTITION BY $session_id ORDER BY timestamp ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS next FROM events WHERE event = '$pageview') WHERE next IS NOT NULL GROUP BY path, next ORDER BY 3 DESC;

SELECT sum(case when event = '$pageview' then 1 else 0 end) as pageviews from events;

select properties.$geoip_country_code as country, uniq(person_id) as users from events where event = '$pageview' and timestamp > now() - interval 30 day group by country order by users desc limit 10;

select count() as signups, toDate(timestamp) as day from events where event = 'sign up' and toDate(timestamp) >= toDate('2024-01-01') group by day order by day asc;

select avg(length(events)) from (select person_id, groupArray(event) as events from events group by person_id);

select floor(dateDiff('day', person.created_at, timestamp) / 7) as week, count() from events group by week order by week;

select person.created_at, person.id from events limit 1;

select event, toInt64OrNull(properties.price), toInt64OrZero(toString(properties.price)), toFloat64OrNull(properties.price) from events limit 1;

select toInt32(1), toUInt64(1), toFloat64(1), toDecimal64(1.5, 2), toString(1);

-- refused
select <Sparkline data={[1,2,3]} />;

select toStartOfDay(timestamp), {variables.n} from events limit 1;

select event from events where timestamp > {variables.start} limit 1;

-- refused
select event from events where {variables.missing} = 1;

select uuid, event, timestamp from events where toString(person_id) = '00000000-0000-0000-0000-000000000000';

select * from sessions where session_id = 'x';

select count() from events where $session_id in (select session_id from sessions where $session_duration > 60);

select dateDiff('second', min(timestamp), max(timestamp)) as len from events group by $session_id order by len desc limit 5;

select toHour(timestamp) as h, bar(count(), 0, max(count()) over (), 20) from events group by h;

select event, count() as c, c / sum(c) over () as share from events group by event;

select trim(both '"' from properties.x), trim(leading 'a' from 'aa'), ltrim(' a'), rtrim('a ') from events limit 1;

-- refused
select printf('%d', 1), format('{} {}', 'a', 'b');

select 1 as "a b", 2 as `c-d`;

select sum(x) from (select arrayJoin([1,2,3]) as x);

select toStartOfInterval(timestamp, interval 1 week) as w, toStartOfInterval(timestamp, interval 1 month), toStartOfInterval(timestamp, interval 5 second) from events limit 1;

select argMax(event, timestamp), argMaxIf(event, timestamp, event != 'x'), anyIf(event, event = 'x'), minIf(timestamp, event = 'x') from events;

-- refused
select not true, not(1 = 2), !(1 = 2);

-- refused
select true and false or true xor false;

-- refused
select event from events where event == '$pageview' && 1 = 1 limit 1;

select event from events where event = '$pageview' || 'x' limit 1;

-- refused
select event regexp 'a', event rlike 'a' from events limit 1;

select event from events order by rand() limit 1;

select arrayElement([1,2], 1), tupleElement((1,2), 1), mapKeys(map('a',1));

select distinct properties.$browser from events order by properties.$browser;

select event from events group by event order by max(timestamp) desc;

-- refused
explain select 1;

-- refused
show tables;

-- refused
describe events;

-- refused
insert into events values (1);

-- refused
drop table events;
