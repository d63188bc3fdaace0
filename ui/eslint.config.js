import js from '@eslint/js'
import vue from 'eslint-plugin-vue'
import prettier from 'eslint-config-prettier'
import globals from 'globals'
import ts from 'typescript-eslint'

export default ts.config(
  { ignores: ['dist/', 'generated/', 'node_modules/'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...vue.configs['flat/recommended'],
  { languageOptions: { globals: { ...globals.browser } } },
  { files: ['**/*.vue'], languageOptions: { parserOptions: { parser: ts.parser } } },
  { files: ['scripts/**', '*.config.*'], languageOptions: { globals: { ...globals.node } } },
  {
    rules: {
      'no-undef': 'off', // vue-tsc knows better
      '@typescript-eslint/no-non-null-assertion': 'off', // typed arrays in bounded loops
      '@typescript-eslint/consistent-type-imports': 'error',
      eqeqeq: 'error',
      'vue/require-default-prop': 'off',
      'vue/no-static-inline-styles': 'error', // the Content-Security-Policy forbids them
      'vue/no-v-html': 'error',
    },
  },
  prettier, // leaves layout to Prettier
)
