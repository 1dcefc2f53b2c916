/** What every page stands on, in its order. */
import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import '../ui/mantine-parts';
import '../ui/tokens.css';
import '../ui/base.css';
import '../ui/mantine.css';
import '../ui/print.css';
