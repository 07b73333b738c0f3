#!/usr/bin/env bash
# Extracts the texts that a translator needs: translations.sh [FOLDER], default build/translations.
#   headlight.pot  what core and the command line write (gettext)
#   headlight.ts   the window's texts (Qt)
# Where the translated catalogs go: CONTRIBUTING.md, "A language".
. "$(dirname "$0")/setup.sh"
out=${1:-$root/build/translations}

as_missing() { command -v "$1" >/dev/null || die "$1 is missing: apt-get install $2"; }
as_missing xgettext gettext
lupdate=/usr/lib/qt6/bin/lupdate  # Debian's; lupdate alone may be Qt 5's
[ -x "$lupdate" ] || lupdate=lupdate
as_missing "$lupdate" qt6-l10n-tools

mkdir -p "$out"
cd "$root"
# Help of options stands in tables; ParameterFlags and ParameterForm translate it as they show it.
# xgettext counts the commas within braces, so the last text of each entry is found here.
python3 packaging/option_help.py >"$out/options.cpp"
{ git ls-files -- 'app/cli/*.cpp' 'app/cli/*.h' 'core/*.cpp' 'core/*.h'; echo "$out/options.cpp"; } |
  xgettext --files-from=- --language=C++ --from-code=UTF-8 --keyword=tr --flag=tr:1:pass-c-format \
    --add-comments=Translators --package-name=Headlight --output="$out/headlight.pot"
rm "$out/options.cpp"
"$lupdate" -silent -no-obsolete ui app/gui -ts "$out/headlight.ts"
say "$(grep -c '^msgid' "$out/headlight.pot") and $(grep -c '<source>' "$out/headlight.ts") texts are in $out"
