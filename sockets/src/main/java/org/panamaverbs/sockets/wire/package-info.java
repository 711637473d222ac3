/** What travels between the two ends of a stream: private data, entries of the target table, and messages of 32 bits. */
package org.panamaverbs.sockets.wire;
