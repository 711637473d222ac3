package org.panamaverbs.ddp;

/**
 * The longest messages that one message of the transport carries whole ({@code msizes_t} of RFC 4296, 2.1.2). A longer tagged message is
 * split. A longer untagged message is split on streams of RFC 5041, and is refused on all other transports.
 *
 * @param untagged bytes of payload of an untagged message
 * @param tagged   bytes of payload of a tagged message
 */
public record MessageSizes(long untagged, long tagged) {
}
