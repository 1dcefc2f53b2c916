/** Styles of fields with several values, loaded with their forms, not with the first page. */
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
