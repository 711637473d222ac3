/** Classes that tests of several modules share and no program needs. */
package org.panamaverbs.testing;
