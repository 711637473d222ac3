/**
 * Byte streams over verbs, on the wire of rsocket: {@link org.panamaverbs.sockets.VerbsSockets} has sockets whose methods wait,
 * {@link org.panamaverbs.sockets.StreamLoop} streams for programs with event loops.
 */
package org.panamaverbs.sockets;
