"""Pacecar in GitHub Actions: the job, what is told on its page and in its log, the comment under the pull request.

In: a job's variables and event, and documents. Out: notes, a summary, outputs, an artifact and a comment.

job, event        the variables and the payload that GitHub hands to a job, checked
job_log           workflow commands, and keeping foreign text from issuing them
annotations, diff the few lines of code worth pointing at
budget_lines      the line of the configuration that was broken
outputs, summary  the files a step writes for later steps and for the job's page
noise_cache       what is known of noise, carried from job to job in GitHub's caches
client, sticky    GitHub's API with patience, and the one comment that is edited in place
tiers, joint      several documents of one job: what later steps are told, and what the artifact holds
pulls, artifact   the second stage for forks: whose run it was, and a document that anybody may have written
"""
