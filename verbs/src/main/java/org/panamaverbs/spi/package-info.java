/**
 * The interfaces that a provider of verbs implements: {@link org.panamaverbs.spi.VerbsProvider}, which hands out devices; everything
 * else is the interfaces of {@link org.panamaverbs} and {@link org.panamaverbs.cm}. A device answers
 * {@link org.panamaverbs.Device#extension(Class)} with its {@link org.panamaverbs.cm.ConnectionManager}.
 *
 * <p>A module that is no provider uses {@link org.panamaverbs.spi.support} alone, and names its settings by
 * {@link org.panamaverbs.spi.DeclaredSettings}.
 */
package org.panamaverbs.spi;
