/**
 * DDPP core (draft-bailey-roi-ddpp-core-00), the sibling of RFC 5041 in soft-iwarp's {@code ddp}, over transports that carry whole messages
 * ({@link org.panamaverbs.ddp.ddpp.DatagramReceiver}) and over byte streams ({@link org.panamaverbs.ddp.ddpp.StreamReader},
 * {@link org.panamaverbs.ddp.ddpp.StreamWriter}). {@link org.panamaverbs.ddp.ddpp.DdppTransmitter} splits decorated messages
 * for both. The layer above is the {@link org.panamaverbs.softiwarp.ddp.UpperLayer} of {@code ddp}: {@code ulp} is the message identifier,
 * the last flag is the N flag, the queue and the word of an undecorated message are 0. The package does no I/O and knows no clock; random
 * numbers are arguments.
 */
package org.panamaverbs.ddp.ddpp;
