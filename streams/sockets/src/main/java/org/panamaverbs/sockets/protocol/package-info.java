/** The protocol of byte streams: private data, messages of 32 bits, entries of the table of targets, and the state of one stream. */
package org.panamaverbs.sockets.protocol;
