; Offers Obspan under "Open with" for files of traces. The default program stays as it is.
!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\Obspan.Traces" "" "Traces"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Obspan.Traces\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Obspan.Traces\shell\open\command" "" '"$appExe" "%1"'
  WriteRegStr SHELL_CONTEXT "Software\Classes\.jsonl\OpenWithProgids" "Obspan.Traces" ""
  WriteRegStr SHELL_CONTEXT "Software\Classes\.ndjson\OpenWithProgids" "Obspan.Traces" ""
!macroend

!macro customUnInstall
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.jsonl\OpenWithProgids" "Obspan.Traces"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.ndjson\OpenWithProgids" "Obspan.Traces"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Obspan.Traces"
!macroend
