module pacecar.invalid/tests/pyroscope

go 1.22

require github.com/grafana/pyroscope v1.12.0

replace (
	github.com/grafana/pyroscope/api => github.com/grafana/pyroscope/api v1.2.0
	github.com/hashicorp/memberlist => github.com/grafana/memberlist v0.3.1-0.20220708130638-bd88e10a3d91
	gopkg.in/yaml.v3 => github.com/colega/go-yaml-yaml v0.0.0-20220720105220-255a8d16d094
)
