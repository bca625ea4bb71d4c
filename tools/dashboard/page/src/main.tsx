import { render } from 'preact';

render(<p>Kagami</p>, document.getElementById('app')!);
