/**
 * The interfaces that a provider of verbs implements: {@link org.panamaverbs.spi.VerbsProvider}, which hands out devices; everything
 * else is the interfaces of {@link org.panamaverbs} and {@link org.panamaverbs.cm}. A device answers
 * {@link org.panamaverbs.Device#extension(Class)} with its {@link org.panamaverbs.cm.ConnectionManager}.
 */
package org.panamaverbs.spi;
