{{- define "turnpike.name" -}}
{{- if contains "turnpike" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-turnpike{{ end }}
{{- end }}

{{- define "turnpike.secret" -}}
{{- .Values.secrets.existingSecret | default (include "turnpike.name" .) }}
{{- end }}

{{/* Labels that select a part's pods; called with the root and the part's name. */}}
{{- define "turnpike.selector" -}}
app.kubernetes.io/name: turnpike
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "turnpike.labels" -}}
{{ include "turnpike.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "turnpike.image" -}}
{{ .root.Values.image.registry }}/{{ .part }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "turnpike.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "turnpike.metricsAnnotations" -}}
{{- if and .Values.metrics.enabled .Values.metrics.annotations }}
prometheus.io/scrape: "true"
prometheus.io/port: {{ .Values.metrics.port | quote }}
{{- end }}
{{- end }}

{{- define "turnpike.metricsEnv" -}}
{{- if .Values.metrics.enabled }}
- name: TURNPIKE_METRICS_PORT
  value: {{ .Values.metrics.port | quote }}
- name: TURNPIKE_METRICS_BIND
  value: 0.0.0.0
{{- end }}
{{- end }}

{{/* A setting from the secret; called with the root, the setting's name and the key. */}}
{{- define "turnpike.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ include "turnpike.secret" .root }}
      key: {{ .key }}
{{- end }}

{{/* Settings of an operator's own, by name. */}}
{{- define "turnpike.extraEnv" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "turnpike.clusterTlsEnv" -}}
{{- if .Values.clusterTls.secret }}
- name: TURNPIKE_CLUSTER_TLS_CA
  value: /etc/turnpike/cluster-tls/ca.crt
- name: TURNPIKE_CLUSTER_TLS_CERT
  value: /etc/turnpike/cluster-tls/tls.crt
- name: TURNPIKE_CLUSTER_TLS_KEY
  value: /etc/turnpike/cluster-tls/tls.key
{{- end }}
{{- end }}

{{- define "turnpike.clusterTlsMount" -}}
{{- if .Values.clusterTls.secret }}
volumeMounts:
  - name: cluster-tls
    mountPath: /etc/turnpike/cluster-tls
    readOnly: true
{{- end }}
{{- end }}

{{- define "turnpike.clusterTlsVolume" -}}
{{- if .Values.clusterTls.secret }}
volumes:
  - name: cluster-tls
    secret:
      secretName: {{ .Values.clusterTls.secret }}
{{- end }}
{{- end }}

{{- define "turnpike.privateScheme" -}}
{{ if .Values.clusterTls.secret }}https{{ else }}http{{ end }}
{{- end }}

{{/* What gateways and proxies run as: nobody in particular, on a file system that they cannot write to. */}}
{{- define "turnpike.unprivilegedPod" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "turnpike.unprivilegedContainer" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
