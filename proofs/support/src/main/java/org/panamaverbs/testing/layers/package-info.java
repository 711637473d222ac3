/**
 * The layers of a module. Its {@code LayersTest} is a {@link org.panamaverbs.testing.layers.LayersTestCase} with the module's
 * {@link org.panamaverbs.testing.layers.Layers}: each package with one line of content and the packages that it may use.
 */
package org.panamaverbs.testing.layers;
