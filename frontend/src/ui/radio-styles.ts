/** Styles of radio buttons: they come with the forms that have some, not with the first page. */
import '@mantine/core/styles/Radio.css';
import '@mantine/core/styles/RadioIndicator.css';
