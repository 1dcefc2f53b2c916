/** Styles of radio buttons, loaded with their forms, not with the first page. */
import '@mantine/core/styles/Radio.css';
import '@mantine/core/styles/RadioIndicator.css';
