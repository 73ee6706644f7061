// The limit to measure against: a bare node:http server that parses the same JSON and answers 200.
import http from 'node:http'

const server = http.createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    JSON.parse(Buffer.concat(parts).toString('utf8'))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 15 })
    response.end('{"status":"Ok"}')
  })
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('disconnect', () => process.exit(0))
