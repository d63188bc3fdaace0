/**
 * The plan of src: imports go from right to left only, those of types and those made at run time included.
 * Checked by `npm run lint`; docs/architecture.md says what each folder is for.
 */
const LAYERS = ['i18n', 'base', 'kit', 'plot', 'board', 'boards', 'app']

const upwards = LAYERS.slice(0, -1).map((layer, at) => ({
    name: `${layer}-imports-upwards`,
    comment: `${layer}/ may import ${LAYERS.slice(0, at + 1)
        .map((name) => `${name}/`)
        .join(', ')} only. Move what both need down to the layer of its lowest user.`,
    severity: 'error',
    from: { path: `^src/${layer}/` },
    to: { path: `^src/(${LAYERS.slice(at + 1).join('|')})/` },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
    forbidden: [
        ...upwards,
        {
            name: 'board-imports-board',
            comment:
                'Boards know nothing of each other. What two of them need belongs to board/ or plot/; links go by address.',
            severity: 'error',
            from: { path: '^src/boards/([^/]+)/' },
            to: { path: '^src/boards/', pathNot: '^src/boards/$1/' },
        },
        {
            name: 'outside-of-the-plan',
            comment: `Every file of src stands in one of ${LAYERS.map((name) => `${name}/`).join(', ')}.`,
            severity: 'error',
            from: {},
            to: { path: '^src/', pathNot: `^src/(${LAYERS.join('|')})/` },
        },
        {
            name: 'module-cycle',
            comment:
                'If two modules need each other, a third is missing. Types alone may go both ways within a board.',
            severity: 'error',
            from: {},
            to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
        },
        {
            name: 'folder-cycle',
            comment:
                'Folders do not need each other in turn. Those of the workspace still do, until its pages become one.',
            severity: 'error',
            scope: 'folder',
            from: { path: '^src/', pathNot: '^src/boards/workspace/' },
            to: { circular: true },
        },
        {
            name: 'not-found',
            comment: 'An import that leads nowhere cannot be checked.',
            severity: 'error',
            from: {},
            to: { couldNotResolve: true },
        },
    ],
    options: {
        doNotFollow: { path: 'node_modules' },
        // Tests may reach anywhere.
        exclude: { path: String.raw`\.(test|spec)\.ts$|\?(raw|worker|url)$` },
        tsPreCompilationDeps: true,
        tsConfig: { fileName: 'tsconfig.json' },
        enhancedResolveOptions: {
            extensions: ['.ts', '.vue', '.js', '.json', '.css'],
            exportsFields: ['exports'],
            conditionNames: ['import', 'types', 'browser', 'default'],
        },
    },
}
