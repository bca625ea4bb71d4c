#include "tools/report/report_style.hpp"

namespace kagami::tools {
namespace {

// the dashboard's colours; the causes' are distinguishable with colour blindness and by brightness
constexpr const char* kLight = R"(
--back:#f2f4f6;--panel:#fff;--line:#dde2e8;--text:#1b222c;--muted:#56606e;--soft:#eef1f4;--accent:#0b6bb8;
--good:#1d6b4a;--warn:#8a4b00;--bad:#a3191f;--grid:#e4e8ec;--zero:#aab4c0;
--command:#6b7480;--reference:#2b7a5b;--measured:#0b6bb8;--twin:#c25e00;--loop:#8a4a9e;--difference:#9b2c4f;--base:#a08c1a;
--h0:#eef1f4;--h1:#f8e3c4;--h2:#efbf7e;--h3:#e08f3f;--h4:#c25427;--h5:#8f2340;--h6:#4d0f4f;
--k0:#0b6bb8;--k1:#e08f3f;--k2:#2b9a7a;--k3:#b0417a;--k4:#7d6bc4;--k5:#b8a21a;--k6:#5a3a22;--rest:#8d97a3;--resolution:#c3cad2;--unexplained:#1b222c;
)";
constexpr const char* kDark = R"(
--back:#0e1217;--panel:#161c24;--line:#28313c;--text:#e7ecf2;--muted:#9aa7b6;--soft:#1d252f;--accent:#5cb3f0;
--good:#6fd3a4;--warn:#f2b35e;--bad:#ff9a9a;--grid:#242c36;--zero:#5a6675;
--command:#98a3b1;--reference:#5cc39a;--measured:#5cb3f0;--twin:#f2a14a;--loop:#c792d9;--difference:#f08fae;--base:#d8c84a;
--h0:#1d252f;--h1:#3c3226;--h2:#6a4a28;--h3:#a8692b;--h4:#de8440;--h5:#f5b583;--h6:#fff0e0;
--k0:#5cb3f0;--k1:#f2a14a;--k2:#4fc3a1;--k3:#ea7fb4;--k4:#a99bf0;--k5:#dccb4a;--k6:#b98d6a;--rest:#6f7b89;--resolution:#465261;--unexplained:#e7ecf2;
)";

constexpr const char* kFigures = R"(
svg{display:block;font:12px system-ui,"Segoe UI","Noto Sans",sans-serif}
svg text{fill:var(--text)} svg .tick,svg .label,svg .faint{fill:var(--muted)} svg .end{text-anchor:end} svg .middle{text-anchor:middle}
svg .strong{font-weight:600} svg .small{font-size:11px}
svg path{fill:none;stroke-linejoin:round;stroke-linecap:round}
svg .fine{stroke-width:5.4} svg .grid{stroke:var(--grid);stroke-width:1} svg .zero{stroke:var(--zero);stroke-width:1} svg .frame{stroke:var(--zero);stroke-width:1}
svg .ground{fill:var(--panel)} svg .area{fill:var(--soft)}
svg .command{stroke:var(--command)} svg .reference{stroke:var(--reference);stroke-dasharray:8 12} svg .measured{stroke:var(--measured)}
svg .twin{stroke:var(--twin);stroke-dasharray:24 12} svg .loop{stroke:var(--loop);stroke-dasharray:4 12} svg .difference{stroke:var(--difference)}
svg .dashed{stroke-dasharray:24 12} svg .base{stroke:var(--base)} svg .base-twin{stroke:var(--base);stroke-dasharray:24 12}
svg rect.h0{fill:var(--h0)} svg .h1{fill:var(--h1)} svg .h2{fill:var(--h2)} svg .h3{fill:var(--h3)} svg .h4{fill:var(--h4)} svg .h5{fill:var(--h5)} svg .h6{fill:var(--h6)}
svg path.h1,svg path.h2,svg path.h3,svg path.h4,svg path.h5,svg path.h6{stroke:none}
svg .k0{fill:var(--k0)} svg .k1{fill:var(--k1)} svg .k2{fill:var(--k2)} svg .k3{fill:var(--k3)} svg .k4{fill:var(--k4)} svg .k5{fill:var(--k5)} svg .k6{fill:var(--k6)}
svg path.k0{stroke:var(--k0)} svg path.k1{stroke:var(--k1)} svg path.k2{stroke:var(--k2)} svg path.k3{stroke:var(--k3)} svg path.k4{stroke:var(--k4)} svg path.k5{stroke:var(--k5)} svg path.k6{stroke:var(--k6)}
svg path.k0,svg path.k1,svg path.k2,svg path.k3,svg path.k4,svg path.k5,svg path.k6{fill:none}
svg .rest{fill:var(--rest)} svg .resolution{fill:var(--resolution)} svg .unexplained{fill:var(--unexplained)}
svg .bar{fill:var(--measured)} svg .info{fill:var(--muted)} svg .warning{fill:var(--warn)} svg .error{fill:var(--bad)}
svg .state{fill:var(--soft);stroke:var(--line)} svg .controller{fill:var(--measured);fill-opacity:.16;stroke:var(--measured)} svg .gain{fill:var(--measured)}
svg path.marker{stroke:var(--muted);stroke-dasharray:2 2}
)";

constexpr const char* kPage = R"(
*{box-sizing:border-box} html{scroll-padding-top:60px}
body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,"Segoe UI","Noto Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main,header.page,footer{max-width:1080px;margin:0 auto;padding:0 16px}
h1{font-size:26px;line-height:1.2;margin:28px 0 4px} h2{font-size:19px;margin:0 0 4px} h3{font-size:15px;margin:0}
p{margin:4px 0 10px} a{color:var(--accent)} .note,.subtitle,figcaption{color:var(--muted);font-size:13px} figcaption{margin:0 0 6px}
section{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:16px;margin:14px 0}
figure{margin:10px 0 0} svg{width:100%;height:auto} .scroll{overflow-x:auto;max-width:100%} .scroll>svg{min-width:620px}
ol.conclusion{margin:0;padding:0;list-style:none} .conclusion li{margin:5px 0} .conclusion li:first-child{font-size:18px;line-height:1.4;font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:10px;margin:14px 0 0}
.tile{border:1px solid var(--line);border-radius:8px;padding:8px 12px} .tile b{display:block;font-size:21px;line-height:1.3} .tile b small{font-size:13px;font-weight:400}
.tile span{display:block;color:var(--muted);font-size:12px;line-height:1.35} .tile.bad b{color:var(--bad)} .tile a{color:inherit;text-decoration-style:dotted}
nav.bar{position:sticky;top:0;z-index:5;background:var(--panel);border-bottom:1px solid var(--line);font-size:13px}
nav.bar>div{max-width:1080px;margin:0 auto;padding:4px 16px;display:flex;flex-wrap:wrap;gap:2px 14px;align-items:center}
nav.bar a{text-decoration:none;color:var(--text);padding:5px 0} nav.bar a:hover{text-decoration:underline}
.zoom{margin-left:auto;display:flex;gap:4px;align-items:center} .zoom output{color:var(--muted);white-space:nowrap;margin-right:4px}
button{font:inherit;font-size:13px;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px;min-width:30px;min-height:30px;padding:2px 8px;cursor:pointer} button:hover{border-color:var(--muted)}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
table{border-collapse:collapse;font-size:13px;width:100%} th,td{text-align:right;padding:4px 8px;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap;overflow-wrap:normal;vertical-align:top}
thead th{color:var(--muted);white-space:normal;min-width:64px;vertical-align:bottom} thead a{color:inherit;text-decoration-style:dotted} .l{text-align:left} td.wrap,th.wrap{white-space:normal;text-align:left;min-width:230px;width:99%}
td .over{color:var(--bad)} .meter{display:inline-block;height:8px;background:var(--difference);border-radius:2px;vertical-align:middle}
dl{display:grid;grid-template-columns:max-content 1fr;gap:3px 16px;margin:8px 0 0;font-size:14px} dt{color:var(--muted)} dd{margin:0}
dl.terms{display:block} dl.terms dt{color:var(--text);font-weight:600;margin-top:8px} dl.terms dt:target,dl.terms dt:target+dd{background:var(--soft)}
pre{background:var(--soft);border-radius:6px;padding:8px 12px;margin:6px 0;font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap}
code{font:13px ui-monospace,monospace} details{margin:8px 0 0} summary{cursor:pointer;color:var(--accent);font-size:13px}
.keys{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:12px;color:var(--muted);margin:4px 0} .keys svg{display:inline-block;width:22px;height:10px;margin-right:4px;vertical-align:middle}
.joint{margin:22px 0 0;padding-top:12px;border-top:1px solid var(--line)} .joint:first-of-type{border:0} .joint>p{margin:2px 0 0;font-size:13px;color:var(--muted)} .joint h3 small{font-weight:400;color:var(--muted)}
.tools{float:right;display:flex;gap:4px} .plot{position:relative;touch-action:pan-y} .drawn{clear:both} .drawn+.scroll{display:none} .readout{min-height:20px;font-size:12px;color:var(--muted);margin:2px 0}
figure .u-legend{font-size:12px;text-align:left;color:var(--text);padding-left:52px} figure .u-legend th,figure .u-legend td{border:0;padding:1px 3px;font-weight:400} figure .u-inline .u-series{margin-right:14px} figure .u-legend .u-value{display:inline-block;min-width:64px;text-align:left} figure .u-series>th::after{content:""} figure .u-legend .u-marker{width:14px;height:3px;border-width:2px 0 0!important;background:none!important;vertical-align:middle}
@media screen{.joint .is-drawn>.keys{display:none}}
.u-select{background:var(--accent)!important;opacity:.15} .u-cursor-x,.u-cursor-y{border-color:var(--muted)!important}
footer{color:var(--muted);font-size:12px;padding-bottom:40px}
@media(max-width:640px){figure .u-legend{padding-left:0} figure .u-legend .u-value{min-width:0} main,header.page,footer,nav.bar>div{padding-left:8px;padding-right:8px} section{padding:12px 10px} h1{font-size:22px} dl:not(.terms){grid-template-columns:1fr;gap:0} dl:not(.terms) dd{margin-bottom:6px} .zoom{margin-left:0} nav.bar .to{display:none} th,td{padding:4px 6px}}
@media print{body{background:#fff;font-size:11px} nav.bar,.tools,.zoom,.drawn,.readout{display:none!important} .drawn+.scroll{display:block!important} .scroll{overflow:visible} .scroll>svg{min-width:0} section{border:0;padding:0;margin:14px 0} .joint,figure,tr,.tile{break-inside:avoid} h2,h3{break-after:avoid} main,header.page,footer{max-width:none;padding:0} a{color:inherit;text-decoration:none} table{font-size:9.5px} td,th{padding:2px 5px} .meter,.keys rect{print-color-adjust:exact;-webkit-print-color-adjust:exact} td.wrap{min-width:0} thead{display:table-header-group}}
)";

}  // namespace

std::string page_style() {
  const std::string dark = std::string("{color-scheme:dark;") + kDark + "}";
  return std::string(":root{color-scheme:light;") + kLight +
         "}@media screen and (prefers-color-scheme:dark){:root" + dark + "}" + kFigures + kPage;
}

// programs that draw figures do not all know variables
std::string svg_file_style() {
  std::string style = kFigures;
  const std::string palette = kLight;
  for (std::size_t at = palette.find("--"); at != std::string::npos; at = palette.find("--", at)) {
    const std::size_t colon = palette.find(':', at);
    const std::size_t end = palette.find(';', colon);
    const std::string use = "var(" + palette.substr(at, colon - at) + ")";
    const std::string colour = palette.substr(colon + 1, end - colon - 1);
    for (std::size_t place = style.find(use); place != std::string::npos; place = style.find(use)) {
      style.replace(place, use.size(), colour);
    }
    at = end;
  }
  return style;
}

}  // namespace kagami::tools
