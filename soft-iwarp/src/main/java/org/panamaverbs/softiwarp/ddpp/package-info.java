/**
 * DDPP core (draft-bailey-roi-ddpp-core-00), the sibling of RFC 5041 in {@code ddp}, over transports that carry whole messages
 * ({@link org.panamaverbs.softiwarp.ddpp.DatagramReceiver}) and over byte streams ({@link org.panamaverbs.softiwarp.ddpp.StreamReader},
 * {@link org.panamaverbs.softiwarp.ddpp.StreamWriter}). {@link org.panamaverbs.softiwarp.ddpp.DdppTransmitter} splits decorated messages
 * for both. The layer above is the {@link org.panamaverbs.softiwarp.ddp.UpperLayer} of {@code ddp}: {@code ulp} is the message identifier,
 * the last flag is the N flag, the queue and the word of an undecorated message are 0. The package does no I/O and knows no clock; random
 * numbers are arguments. It may use {@code ddp}, {@code memory} and {@code wire}.
 */
package org.panamaverbs.softiwarp.ddpp;
