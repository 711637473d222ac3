/**
 * The soft-iWARP provider: the objects of verbs over the layers below, thin. It is found through
 * {@link org.panamaverbs.spi.VerbsProvider}; programs use the interfaces of {@link org.panamaverbs}.
 *
 * <p>It may touch all, and alone knows all kinds of transport ({@link org.panamaverbs.softiwarp.Transports}).
 */
package org.panamaverbs.softiwarp;
