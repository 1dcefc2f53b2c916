/** The style sheets of all pages, in order. */
import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import '../ui/mantine-styles';
import '../ui/tokens.css';
import '../ui/base.css';
import '../ui/mantine.css';
import '../ui/print.css';
