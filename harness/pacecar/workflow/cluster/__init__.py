"""A comparison that is measured in a cluster and asked for elsewhere.

In: a request and its builds. Out: a run in the store that machines share, fetched from there.

`submitting` makes builds and tools, puts them into the store and has the cluster start a job; `job` is what that
consists of, `submission` what it is told. In the job, `conducting` measures, and puts every whole pair into the store.
`following` shows what the job says and fetches the run. Whoever asked needs not stay: the run goes on without them, and
a job that is moved to another node goes on with the pairs that are in the store.
"""
