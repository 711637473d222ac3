/** Byte streams over verbs, on the wire of librdmacm's rsocket, version 1. So far it has the protocol alone, and exports nothing. */
module org.panamaverbs.sockets {
}
