/**
 * Byte streams over verbs, on the wire of rsocket: {@link org.panamaverbs.sockets.VerbsSockets} has sockets whose methods wait or
 * give a stage, {@link org.panamaverbs.sockets.StreamLoop} streams for programs with event loops.
 *
 * {@snippet :
 * try (VerbsSockets sockets = VerbsSockets.open(verbs); VerbsSocket socket = sockets.connect(server, Duration.ofSeconds(5))) {
 *     socket.write(request);
 *     int bytes = socket.read(answer);
 * }
 * }
 *
 * <p>A stream is ordered, has flow control and can end in one direction alone, as TCP's. Its peer may be another program on this package or
 * one on librdmacm's rsockets. Any thread may use a socket; a stream of a loop belongs to the thread that turns the loop. No argument may be
 * null.
 */
@NullMarked
package org.panamaverbs.sockets;

import org.jspecify.annotations.NullMarked;
