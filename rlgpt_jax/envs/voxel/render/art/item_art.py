"""Drawings of items as rows of letters, by our own hand.

`SHAPES` serve several items in other colours, `DRAWN` have colours of their own.
"""

from rlgpt_jax.envs.voxel.render.art.paint import Colour

# h handle, H its dark side, m metal, d its dark side.
TOOLS = {
    "pickaxe": "....mmmmm... ...dddddmmm. .......hHdmm ......hHH.dm .....hH....m "
    "....hH.....m ...hH.......  ..hH........ .hH......... hH..........",
    "axe": ".....mm..... ....mmmm.hH. ...mmmmmhH.. ...mmmmhHm.. ....mmhHmm.. .....hHdm... "
    "....hH.dd... ...hH....... ..hH........ .hH......... hH..........",
    "shovel": "........mmm. .......mmmmm .......mmmmd ......hHmmd. .....hH.dd.. ....hH...... "
    "...hH....... ..hH........ .hH......... hH..........",
    "hoe": ".....mmmm... ....mmdddHH. .......hHHm. ......hH.dm. .....hH..... ....hH...... "
    "...hH....... ..hH........ .hH......... hH..........",
    "sword": ".........mmm ........mmmd .......mmmd. ......mmmd.. .....mmmd... h...mmmd.... "
    "hh.mmmd..... .hhmmd...... ..hhd....... .hHhh....... hH..hh...... H...........",
    "helmet": "...mmmmmm... ..mmmmmmmm.. .mmmmmmmmmm. .mmmmmmmmdd. .mmmddddmdd. .mmd....mdd. "
    ".mmd....mdd.",
    "chestplate": "mm........mm mmmm....mmmm mmmmmmmmmmmm mmmmmmmmmmdd dmmmmmmmmmdd ..mmmmmmmd.. "
    "..mmmmmmmd.. ..mmmmmmdd.. ..mmmmmmdd.. ..mmmmmddd..",
    "leggings": ".mmmmmmmmmm. .mmmmmmmmdd. .mmmmmmmmdd. .mmmd..mmdd. .mmmd..mmdd. .mmmd..mmdd. "
    ".mmdd..mmdd. .mmdd..mmdd.",
    "boots": "............ .mmd....mmd. .mmd....mmd. .mmd....mmd. .mmd....mmd. mmmd...mmmd. "
    "mmdd...mmdd.",
}

# m, l, d: the item's colour and its light and dark tones; x, y: a second colour, darker.
SHAPES = {
    "bucket": "..gggggg.. .gmmmmmmg. gmmmmmmmlg gdmmmmmmlg gddddddddg .gwwwwwwg. .gwwwwwvg. "
    ".gwwwwwvg. ..gwwwvg.. ..gggggg..",
    "steak": "...mmmm... ..mmmmmmm. .mmlmmmmmm mmlmmmmwmm mmmmmmwwmd .mmmmmmmmd ..ddmmmmdd "
    "...dddd...",
    "drumstick": "....mmmm.. ..mmmmmmm. .mmlmmmmmm .mlmmmmmmd .mmmmmmmdd .mmmmmmdd. ..dmmdd... "
    ".ww....... www....... .w........",
    "ingot": "......mmmm.. ...mmmmmmmm. .mmmmmmmmmmd mmmmmmmmmddd dmmmmmdddddd .dddddddddd. "
    "..ddddd.....",
    "nugget": "...mm.. ..mlmm. .mmmmmd .mmmmdd ..ddd..",
    "gem": "...mmmm... ..mmllmmm. .mmllmmmmd mmlmmmmmmd mmmmmmmmdd .mmmmmmdd. ..mmmmdd.. "
    "...mmdd...",
    "lump": "...mmm.... .mmlmmmm.. mmllmmmmd. mmlmmmmmmd mmmmmmmmdd .mmmmmmdd. ..dmmddd.. "
    "....dd....",
    "dust": ".......... ....m..... ...mlm.m.. .m.mmmm... .mmlmmmmd. mmmmlmmmmd ddmmmmmddd "
    ".dddddddd.",
    "ball": "...mmmm... .mmllmmmm. .mllmmmmm. mmlmmmmmmd mmmmmmmmmd mmmmmmmmdd .mmmmmmdd. "
    ".ddmmmddd. ...dddd...",
    "rod": "........mm .......mlm ......mlm. .....mlm.. ....mlm... ...mlm.... ..mlm..... "
    ".mld...... mld....... dd........",
    "egg": "...mm... ..mmmm.. .mlmmmm. .mlmmmm. mmmmmmmd mxmmmmmd .mmmxmd. ..mddd..",
    "seeds": "......m.. .m.....d. .d..mm... ..m..d..m .md.m...d .....m.m. ..m..dm..",
    "book": ".mmmmmmm. mmxmmmmmw mmxmmmmmw mmxmxxxmw mmxmmmmmw mmmmmmmmw .wwwwwww.",
    "dye": "....mm.... ..mmllmm.. .mmlmmmmm. .mlmmmmmd. .mmmmmmmd. ..mmmmdd.. ...dddd...",
    "bottle": "...ww... ...ww... ...gg... ..g..g.. .g....g. gmmmmmmg gmlmmmmg gmmmmmmg .gmmmmg. "
    "..gggg..",
    "disc": "..kkkkkk.. .kkkKKkkk. kkkKkkKkkk kkKkmmkKkk kKkmwwmkKk kKkmwwmkKk kkKkmmkKkk "
    "kkkKkkKkkk .kkkKKkkk. ..kkkkkk..",
    "boat": "............ m..........m mm........mm mdm......mdm mmddddddddmm .mmmmmmmmmm. "
    "..mmmmmmmm..",
    "cart": "gxxxxxxxxxxg gxxxxxxxxxxg gggggggggggg gGGGGGGGGGGg gGGGGGGGGGGg .gggggggggg. "
    "..kk....kk..",
    "stew": "..xxxxxx.. .xxyxxyxx. bbbbbbbbbb bddddddddb .bbbbbbbb. .bbbbbbbD. ..bbbbDD.. "
    "...DDDD...",
    "cookie": "..mmmm.. .mmxmmm. mmmmmxmm mxmmmmmm mmmmxmmd mmxmmmmd .mmmmdd. ..dddd..",
    "fish": "........mm ....mmm.mm ..mmlmmmm. .mlmmmmmm. mkmmmmmmm. mmmmmmdd.. .mmmdd.mm. "
    "..mm.....m",
    "root": "......e.e .....eee. ....eee.. ...mme... ..mlmm... .mlmmd... .mmmd.... mmdd..... "
    "md.......",
    "tuber": "...mmmm.. ..mlmmmm. .mlmmxmmd .mmmmmmmd mmxmmmmdd mmmmmxdd. .mmmdd...",
    "slice": "em....... emm...... emxm..... emmmm.... emmmxm... eemmmmm.. .eemmmxm. ..eeeemmm "
    "....eeeee",
    "pie": "...llll... .llmmmmll. lmmmxmmmml lmxmmmmxml dlmmmmmmld .dllllldd. ..dddddd..",
    "armor": "m........m mm.....mmm .mmmmmmmmm .mmlmmmmm. .mmmmmmmm. .mmd..mmd. .md....md. "
    ".md....md.",
    "skull": "mmmmmmmm mlmmmmmm mmmmmmmm xxmmmmxx xkmmmmkx mmmddmmm mmkkkkmm dddddddd",
    "banner": "..mmmmmm.. ..mlmmmm.. ..mmmmmd.. ..mmmmmd.. ..mlmmmd.. ..mmmmmd.. ..mmmmmd.. "
    "..mmmmdd.. ....hh.... ....hh.... ....hh.... ....hh....",
    "bars": "mm..mm..mm md..md..md mmmmmmmmmm md..md..md md..md..md md..md..md md..md..md "
    "mmmmmmmmmm md..md..md",
    "pot": "mmmmmmmm mddddddm .mmmmmm. .mmmmmd. ..mmmd.. ..mmmd..",
    "bed": "............ wwww........ wwwwmmmmmmmm wwwwmmmmmmmm dddddddddddd hhhhhhhhhhhh "
    "hh........hh hh........hh",
    "sign": "bbbbbbbbbb bkkkbkkkbb bbbbbbbbbb bkkbkkkkbb bbbbbbbbbd ....hh.... ....hh.... "
    "....hh....",
    "frame": "hhhhhhhhhh hmmmmmmmmh hmmxxmmmmh hmxxxxmmmh hmmmmmymmh hmmmyyyymh hmyyyyyyyh "
    "hhhhhhhhhh",
    "dial": "...mmmm... .mmxxxxmm. .mxxkxxxm. mxxxkxxxxm mxxxkkkxxm mxxxxxxxxm .mxxxxxxm. "
    ".mmxxxxmm. ...mmmm...",
    "button": ".mmmmmm. .mlmmmd. .mmmmmd. .dddddd.",
    "plate": "....mmmm.... .mmmmmmmmmm. mmmmmmmmmmmm dmmmmmmmmmmd .ddmmmmmmdd. ...dddddd...",
    "torch": "...yy... ..yxxy.. ...xx... ...mm... ...md... ...md... ...md... ...md... ...md...",
    "switch": "......h. .....hh. ....hh.. ...hh... ..hh.... mmmmmmm. mmmmmmmd .ddddddd",
    "repeater": "....r..r.... ....h..h.... .mmmmmmmmmm. mmmrmmrmmmmm dmmmrrmmmmmd dddddddddddd",
    "pan": "m........m m........m mm......mm mxxxxxxxxm mxxxxxxxxm mmmmmmmmmm mmmmmmmmmm "
    "mmdmmmmdmm mm......mm",
    "star": "....m.... ....m.... ...mlm... ..mlllm.. mmllwllmm ..mlllm.. ...mlm... ....m.... "
    "....m....",
    "wing": "mm......mm mmm....mmm mlmm..mmlm mlmm..mmlm mllm..mllm .mlm..mlm. .mmm..mmm. "
    ".mm....mm. .m......m.",
    "hide": ".mm....mm. mmmmmmmmmm .mmmmmmmd. ..mmmmmd.. ..mmmmmd.. .mmmmmmmd. mmmmmmmmdd "
    ".dd....dd.",
    "spiral": "...mmmm.. ..m....m. .m..mm..m .m.m..m.m .m.m..mm. .m..m.... ..m..mmm. ...mm....",
    "shard": "......m. .....mm. ..m.ml.. .mm.ml.. .ml.mm.. mml.md.. mlm.md.. mmddd...",
    "powder": "..l...m. .m.l.... l..mm.l. .mmlmm.. mmlmmmmm mmmmmmdd .dddddd.",
    "shield": "mmmmmmmm mhhhhhhm mhhhhhhm mhhxxhhm mhhxxhhm mhhhhhhm mhhhhhhm .mhhhhm. ..mmmm..",
    "rocket": "....r... ...rrr.. ...rrr.. ...www.. ...rrr.. ...www.. ...rrr.. ....h... ....h...",
    "stand": "....m.... ....m.... mmmmmmmmm ....m.... ....m.... .mmmmmmm. ..m...m.. ..m...m.. "
    "ddddddddd",
    "brewer": "....y.... ....m.... m...m...m mm..m..mm .m.mmm.m. ww.m.m.ww ww.mmm.ww ddddddddd "
    ".ddddddd.",
    "tag": "....hh... ...h..... ..mmmm... .mmkmmmm. .mmmmmmmm ..mmmmmmm ...mmmmmd ....mmmd. "
    ".....md..",
    "foot": "...mm.... ...mmm... ...mlm... ...mmm... ...mmm... .mmmmmm.. mmlmmmmd. mmmmmmdd. "
    ".dddd....",
    "saddle": "..mm.....m .mmmm...mm .mmmmmmmmm .mlmmmmmmd ..mmmmmmd. ...dmmdd.. ....hh.... "
    "....hh.... ....gg....",
    "rod_line": ".........h ........hw .......h.w ......h..w .....h...w ....h....w ...h.....w "
    "..h......w .h......gw h.......g.",
    "flint_steel": ".....wwww ....ww... ....w..kk ....w..kl ....ww.kk .....wwww kkk...... "
    "klkk..... .kkk.....",
}

# name -> (rows of letters, colours).
DRAWN: dict[str, tuple[str, dict[str, Colour]]] = {
    "stick": (
        "........hh .......hhH ......hhH. .....hhH.. ....hhH... ...hhH.... ..hhH..... .hhH...... "
        "hhH....... HH........",
        {"h": (150, 112, 62), "H": (92, 66, 34)},
    ),
    "shears": (
        "....m...m. ....mm.mm. .....mmm.. .....mdm.. ....dm.md. ..hhh.hhh. .h..hh..h. "
        ".h..h.h..h ..hh...hh.",
        {"m": (216, 216, 216), "d": (150, 150, 150), "h": (190, 60, 44)},
    ),
    "apple": (
        ".....h.... ....hgg... .rrr.rrr.. rrlrrrrrr. rlrrrrrrrd rrrrrrrrrd rrrrrrrrdd "
        ".rrrrrrrd. ..rrrrdd..",
        {"r": (216, 34, 30), "l": (255, 150, 140), "d": (146, 14, 18), "h": (96, 66, 34),
         "g": (96, 170, 56)},
    ),
    "golden_apple": (
        ".....h.... ....hgg... .rrr.rrr.. rrlrrrrrr. rlrrrrrrrd rrrrrrrrrd rrrrrrrrdd "
        ".rrrrrrrd. ..rrrrdd..",
        {"r": (250, 214, 70), "l": (255, 244, 180), "d": (196, 148, 30), "h": (96, 66, 34),
         "g": (96, 170, 56)},
    ),
    "bread": (
        "........bb.. .....bbbbbb. ...bbbbbbbd ..bbblbbbbd. .bblbbbbbd.. bbbbbbbdd... bbbbddd.....",
        {"b": (196, 140, 62), "l": (232, 186, 110), "d": (136, 88, 34)},
    ),
    "wheat": (
        "y..y....y. .yy.y.yy.. .y.yyyy.y. ..yyyyyy.. ...yoyy... ...oyoy... ..rrrrr... ...oyo.... "
        "..o.y.o...",
        {"y": (222, 196, 86), "o": (176, 142, 50), "r": (150, 40, 30)},
    ),
    "feather": ("........ww ......wwwd ....wwwwd. ...wwwdw.. "
                "..wwdww... ..wdww.... .wwww..... .g........ g.........",
                {"w": (240, 240, 240), "d": (186, 186, 186), "g": (120, 120, 120)}),
    "bone": (".......ww. ......wwww ......www. .....wwd.. ....wwd... "
             "...wwd.... ..wwd..... www....... wwww...... .ww.......",
             {"w": (234, 232, 216), "d": (170, 168, 150)}),
    "string": ("w......w.. .ww...w.w. ...ww...w. ....w..w.. "
               "..ww..w... .w...ww... .w....w... ..ww...w..",
               {"w": (236, 236, 236)}),
    "bowl": ("bbbbbbbbbb bddddddddb .bbbbbbbb. .bbbbbbbd. ..bbbbdd.. ...dddd...",
             {"b": (150, 106, 58), "d": (96, 64, 30)}),
    "paper": ("..wwwwwww .wwwkkwww .wkkwwkww wwwwkkwww wkkwwwwww wwwkkwwd. wwwwwwwd.",
              {"w": (240, 240, 234), "k": (190, 190, 184), "d": (200, 200, 190)}),
    "arrow": (".......mm ......mmm ......hm. .....h... "
              "....h.... ...h..... ww.h..... .wh...... w.w......",
              {"m": (196, 196, 196), "h": (134, 100, 56), "w": (236, 236, 236)}),
    "spectral_arrow": (".......mm ......mmm ......hm. .....h... "
              "....h.... ...h..... ww.h..... .wh...... w.w......",
              {"m": (250, 222, 90), "h": (134, 100, 56), "w": (236, 236, 236)}),
    "tipped_arrow": (".......mm ......mmm ......hm. .....h... "
              "....h.... ...h..... ww.h..... .wh...... w.w......",
              {"m": (90, 120, 210), "h": (134, 100, 56), "w": (236, 236, 236)}),
    "bow": ("....hhhh.. ..hhh..hw. .hh....w.. .h....w... "
            "hh...w.... h...w..... h..w...... .hw....... .w........",
            {"h": (134, 98, 50), "w": (230, 230, 230)}),
}  # fmt: skip
