/** The protocol of byte streams: private data, messages of 32 bits, entries of the table of targets, and the state of one stream. */
@NullMarked
package org.panamaverbs.sockets.protocol;

import org.jspecify.annotations.NullMarked;
