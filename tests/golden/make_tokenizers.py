#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the small tokenizers of golden/text and, in cases.json, what Hugging Face's tokenizers make
of texts: [text, numbers of its tokens].

    python3 make_tokenizers.py FOLDER

clip_micro has the 60 tokens of golden/transformers/clip_full, clip_bytes all bytes and some merges,
siglip_micro SigLIP's normalizers with a small map that SentencePiece compiled. Written with
tokenizers 0.21.1 and sentencepiece 0.2.3.
"""
import json, os, re, string, sys
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers, decoders, Regex
import tokenizers
OUT=sys.argv[1]
CLIP=r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
def clip(vocab, merges, bos, eos):
    t=Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<|endoftext|>", continuing_subword_prefix="", end_of_word_suffix="</w>", fuse_unk=False))
    t.normalizer=normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+")," "), normalizers.Lowercase()])
    t.pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(CLIP),"removed",invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.post_processor=processors.RobertaProcessing(sep=("<|endoftext|>",eos),cls=("<|startoftext|>",bos),trim_offsets=False,add_prefix_space=False)
    t.add_special_tokens([tokenizers.AddedToken("<|startoftext|>",normalized=True,special=True),tokenizers.AddedToken("<|endoftext|>",normalized=False,special=True)])
    return t
def write(folder, t, texts, files=True):
    os.makedirs(OUT+"/"+folder, exist_ok=True)
    j=json.loads(t.to_str())
    json.dump(j, open(f"{OUT}/{folder}/tokenizer.json","w"), ensure_ascii=False, separators=(",",":"))
    cases=[[x,t.encode(x).ids] for x in texts]
    with open(f"{OUT}/{folder}/cases.json","w") as f:
        f.write("[\n"+",\n".join(json.dumps(c,ensure_ascii=False) for c in cases)+"\n]\n")
    return j
# ---- the 60 tokens of clip_full
named={3:"cat</w>",9:"nap</w>",11:"dog</w>",4:"run</w>",58:"<|startoftext|>",59:"<|endoftext|>"}
rest=["c","a","t","n","p","d","o","g","r","u","h","f","t</w>","p</w>","g</w>","n</w>","a</w>","o</w>","f</w>","s</w>","s","ca","na","do","ru","ph","ot","pho","phot","photo</w>","of</w>","do</w>","e","l","e</w>","l</w>","i","i</w>","m","m</w>",".</w>","!","!</w>","1</w>","2</w>","'s</w>","'","b","b</w>","w","w</w>","y","y</w>","x</w>"]
vocab={}
it=iter(rest)
for i in range(60): vocab[named.get(i) or next(it)]=i
assert len(vocab)==60 and next(it,None) is None,(len(vocab),list(it))
merges=[("c","a"),("ca","t</w>"),("n","a"),("na","p</w>"),("d","o"),("do","g</w>"),("r","u"),("ru","n</w>"),("p","h"),("ph","o"),("o","t"),("pho","t"),("phot","o</w>"),("o","f</w>"),("d","o</w>"),("'","s</w>")]
t=clip(vocab,merges,58,59)
j=write("clip_micro",t,["cat nap","dog run","A photo of a CAT","cats","dog's!!","zebra 12","of of of"])
json.dump(vocab,open(OUT+"/clip_micro/vocab.json","w"),ensure_ascii=False,separators=(",",":"))
open(OUT+"/clip_micro/merges.txt","w").write("#version: 0.2\n"+"\n".join(" ".join(m) for m in merges)+"\n")
# ---- all bytes, and merges of a training
bs=pre_tokenizers.ByteLevel.alphabet()
def b2u():
    b=list(range(33,127))+list(range(161,173))+list(range(174,256)); c=b[:]; n=0
    for i in range(256):
        if i not in b: b.append(i); c.append(256+n); n+=1
    return [chr(x) for _,x in sorted(zip(b,c))]
al=b2u(); assert set(al)==set(bs)
corpus="a photo of a cat. a photo of a dog, the photograph of the small dogs; a blurry photo of two cats! it's a drawing of the church's tower. they're looking at the striped zebra; we've seen golden retrievers, tabby cats, goldfish, a great white shark. an image of a red car and a blue car on the street. a close-up photo of the flower in the garden. naïve café".split()
import collections
words=collections.Counter(corpus)
tok={}
for w,n in words.items():
    s="".join(al[x] for x in w.encode()); tok[tuple(list(s[:-1])+[s[-1]+"</w>"])]=tok.get(tuple(list(s[:-1])+[s[-1]+"</w>"]),0)+n
merges=[]
for _ in range(90):
    pairs=collections.Counter()
    for w,n in tok.items():
        for p in zip(w,w[1:]): pairs[p]+=n
    if not pairs: break
    best=max(pairs,key=lambda p:(pairs[p],p)); merges.append(best)
    new={}
    for w,n in tok.items():
        o=[];i=0
        while i<len(w):
            if i+1<len(w) and (w[i],w[i+1])==best: o.append(w[i]+w[i+1]); i+=2
            else: o.append(w[i]); i+=1
        new[tuple(o)]=new.get(tuple(o),0)+n
    tok=new
vocab={}
for x in al+[a+"</w>" for a in al]+[a+b for a,b in merges]+["<|startoftext|>","<|endoftext|>"]: vocab.setdefault(x,len(vocab))
bos,eos=vocab["<|startoftext|>"],vocab["<|endoftext|>"]
t=clip(vocab,merges,bos,eos)
texts=["a photo of a cat","A  Photo\tOF\na   CAT ","it's they're we've I'm you'll he'd dogs' 'small","price: $12.50, 100% (approx.)!!!","naïve café Übergröße ÀÉÎÕÜ","Größe İstanbul ΣΑΣ","日本語の写真 кошка और","🐱 a cat 👩‍👩‍👧 emoji","x² ½ Ⅷ ٣٤","\u00a0non\u2003breaking\u3000space","<a> |b| {c} ~`^_","a","'", "''s'st", "tabby-cat_golden.retriever/zebra","aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","ǅ ﬁ Ꮳ ẞ","a\u200bb a\u2028b","dog's dog’s"]
write("clip_bytes",t,texts)
# ---- SigLIP: unigrams, its normalizers, a small compiled map
import sentencepiece as spm
open("rules.tsv","w").write("".join("\t".join([" ".join("%X"%ord(c) for c in a)," ".join("%X"%ord(c) for c in b)])+"\n" for a,b in [("①","1"),("ﬁ","fi"),("½","1⁄2"),("Ａ","A"),("ａ","a"),("e\u0301","é"),("…","..."),("\u00a0"," "),("\u3000"," "),("—","-"),("カ\u3099","ガ"),("㍿","株式会社"),("ö","oe")]))
open("c.txt","w").write("a photo of a cat\n"*3+"a photo of a dog run\nthe cat nap\n"*5)
spm.SentencePieceTrainer.train(input="c.txt",model_prefix="m",vocab_size=30,normalization_rule_tsv="rules.tsv",hard_vocab_limit=False)
from sentencepiece import sentencepiece_model_pb2 as pb
p=pb.ModelProto(); p.ParseFromString(open("m.model","rb").read())
import base64
charsmap=p.normalizer_spec.precompiled_charsmap
print("charsmap",len(charsmap))
pieces={0:"<pad>",1:"</s>",2:"<unk>",3:"▁cat",9:"▁nap",11:"▁dog",4:"▁run"}
rest=["▁","▁a","▁photo","▁of","▁the","a","b","c","d","e","f","g","h","i","l","m","n","o","p","r","s","t","u","w","y","ca","at","do","og","▁ca","▁do","s▁","ing","ph","oto","ot","1","2","é","fi","▁c","▁p","▁d","▁r","▁n","ra","nn","in","株式","-","▁th","he","▁on"]
it=iter(rest); vocab=[]
import math
for i in range(60):
    x=pieces.get(i) or next(it)
    vocab.append((x, 0.0 if i<3 else -(2.0+0.173*((i*37)%41))))
assert next(it,None) is None
def siglip(punct_regex):
    t=Tokenizer(models.Unigram(vocab,unk_id=2,byte_fallback=False))
    t.normalizer=normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(Regex(punct_regex),""), normalizers.Replace(Regex(r"\s+")," "), normalizers.Strip(), normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}")," ")])
    t.pre_tokenizer=pre_tokenizers.Metaspace(replacement="▁",prepend_scheme="always")
    t.post_processor=processors.TemplateProcessing(single=["$A","</s>"],pair=["$A","</s>","$B","</s>"],special_tokens=[("</s>",1)])
    t.add_special_tokens(["<pad>","</s>","<unk>"])
    return t
t=siglip("["+re.escape(string.punctuation)+"]")
texts=["cat nap","dog run","A photo of a CAT.","a photo of the dogs!","  cats,   running\tin  the ①② ","ﬁnd ½ ＡＢａ café… — ö","カ\u3099 e\u0301 zebra","株式会社 ㍿","qqq kkk","naïve🐱cat","don't-stop_it","a\u00a0b\u3000c","ab cd ef gh","photophoto","a","!!!","½\uff9f a"]
write("siglip_micro",t,texts)
