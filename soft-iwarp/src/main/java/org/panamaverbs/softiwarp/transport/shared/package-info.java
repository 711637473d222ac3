/**
 * Streams between two processes of one machine, through rings of bytes in memory that both map. See {@link
 * org.panamaverbs.softiwarp.transport.shared.RingMemory} for the memory, and {@link
 * org.panamaverbs.softiwarp.transport.shared.Offer} for how two processes find each other.
 */
package org.panamaverbs.softiwarp.transport.shared;
