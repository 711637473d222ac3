/**
 * The server's knowledge of its clients (RFC 8881, 2.10 and 8): clients, sessions with their replies, opens and locks, and the record of clients
 * that outlives the server. No I/O but the open files and that record.
 */
package org.panamaverbs.nfs.server.state;
