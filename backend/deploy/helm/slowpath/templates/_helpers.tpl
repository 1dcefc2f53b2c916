{{- define "slowpath.labels" -}}
app.kubernetes.io/name: slowpath
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "slowpath.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{ .Values.image.repository }}{{ if hasPrefix "sha256:" $tag }}@{{ else }}:{{ end }}{{ $tag }}
{{- end }}

{{- define "slowpath.env" -}}
{{- range list "DATABASE_URL" "BROKER_URL" "SLOWPATH_SECRET_KEY" }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $.Values.existingSecret | quote }}, key: {{ . }} } }
{{- end }}
- { name: BLOB_URL, value: {{ .Values.blobUrl | quote }} }
- { name: SLOWPATH_PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- { name: SLOWPATH_SCRATCH_DIR, value: /tmp }
- { name: SLOWPATH_GIT_DIR, value: /data/git }
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* A pod: (dict "root" $ "component" name "command" list "env" list "resources" dict "web" bool) */ -}}
{{- define "slowpath.pod" -}}
metadata:
  labels:
    {{- include "slowpath.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  serviceAccountName: {{ if eq .component "migrate" }}default{{ else }}{{ .root.Release.Name }}{{ end }}
  automountServiceAccountToken: false
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq .component "migrate" }}
  restartPolicy: Never
  {{- end }}
  terminationGracePeriodSeconds: 30
  securityContext: { runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001, seccompProfile: { type: RuntimeDefault } }
  containers:
    - name: {{ .component }}
      image: {{ include "slowpath.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: {{ toJson .command }}
      env:
        {{- include "slowpath.env" .root | nindent 8 }}
        {{- with .env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- if .web }}
      ports: [{ name: http, containerPort: 8080 }]
      startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, failureThreshold: 60 }
      livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5 }
      readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 5 }
      lifecycle: { preStop: { exec: { command: [sleep, "5"] } } } # until proxies send no more requests
      {{- end }}
      resources: {{ toJson .resources }}
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }
      volumeMounts: [{ name: scratch, mountPath: /tmp }, { name: git, mountPath: /data/git }]
  volumes: [{ name: scratch, emptyDir: {} }, { name: git, emptyDir: {} }]
{{- end }}

{{- /* A Deployment: the pod's arguments and "replicas" */ -}}
{{- define "slowpath.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels: {{- include "slowpath.labels" .root | nindent 4 }}
spec:
  {{- if not .scaled }}
  replicas: {{ .replicas }}
  {{- else }}
  {{- /* A field that an upgrade no longer applies gets its default: one replica, until the autoscaler has adjusted it. */}}
  {{- with lookup "apps/v1" "Deployment" .root.Release.Namespace (printf "%s-%s" .root.Release.Name .component) }}
  replicas: {{ .spec.replicas }}
  {{- end }}
  {{- end }}
  strategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  selector:
    matchLabels:
      {{- include "slowpath.labels" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template: {{- include "slowpath.pod" . | nindent 4 }}
{{- end }}
