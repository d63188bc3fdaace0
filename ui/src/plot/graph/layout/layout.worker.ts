// ELK answers messages by itself as soon as it is loaded in a worker.
import 'elkjs/lib/elk-worker.min.js'
